// map.js: every <figure class="map"> gets an interactive map over the static one: values and parameters under the cursor,
// drag to move, wheel, pinch or buttons to zoom, double click to go back.
import {button, scaled} from './controls.js'
import {bytes, floats, colour} from './decode.js'
import {gestures} from './gestures.js'
import {linear, label, short} from './ticks.js'

const LEFT = 64, BOTTOM = 44, TOP = 10, RIGHT = 12

// The cells as a picture of one pixel each; y upwards.
function paint_cells(data) {
    const cells = document.createElement('canvas'), rgb = bytes(data.colours), {n: nx} = data.x, {n: ny} = data.y
    cells.width = nx
    cells.height = ny
    const ctx = cells.getContext('2d'), image = ctx.createImageData(nx, ny)
    for (let i = 0; i < nx; i++)
        for (let j = 0; j < ny; j++) {
            const from = 3 * (i * ny + j), to = 4 * ((ny - 1 - j) * nx + i)
            for (let c = 0; c < 3; c++)
                image.data[to + c] = rgb[from + c]
            image.data[to + 3] = 255
        }
    ctx.putImageData(image, 0, 0)
    return cells
}

function key(data) {
    const list = document.createElement('div')
    list.className = 'keys map'
    for (const [hex, text] of data.legend) {
        const item = document.createElement('span'), swatch = document.createElement('i')
        swatch.style.background = hex
        item.append(swatch, text)
        list.append(item)
    }
    if (data.bar) {
        const item = document.createElement('span'), bar = document.createElement('b')
        bar.style.background = `linear-gradient(to right, ${data.bar.colours.join(', ')})`
        item.append(short(data.bar.low), bar, short(data.bar.high))
        list.append(item)
    }
    return list
}

function build(figure) {
    const data = JSON.parse(figure.querySelector('script').textContent), values = floats(data.values), cells = paint_cells(data)
    const canvas = document.createElement('canvas'), ctx = canvas.getContext('2d')
    const tools = document.createElement('div'), place = document.createElement('output'), unit = document.createElement('div')
    const {x, y} = data, view = {}
    let ratio = 1
    // From cells to values: cell i is around from + i (to - from)/(n - 1).
    const value_at = (axis, cell) => axis.n > 1 ? axis.from + (cell - 0.5) * (axis.to - axis.from) / (axis.n - 1) : axis.from + cell - 0.5
    const cell_at = (axis, value) => axis.n > 1 ? (value - axis.from) * (axis.n - 1) / (axis.to - axis.from) + 0.5 : value - axis.from + 0.5
    const wide = () => canvas.clientWidth - LEFT - RIGHT, high = () => canvas.clientHeight - TOP - BOTTOM
    const home = () => Object.assign(view, {x0: 0, x1: x.n, y0: 0, y1: y.n}) // cells that are seen
    const X = cell => LEFT + (cell - view.x0) / (view.x1 - view.x0) * wide(), Y = cell => TOP + (view.y1 - cell) / (view.y1 - view.y0) * high()

    function axis(side, upright) {
        const [a, b] = upright ? [view.y0, view.y1] : [view.x0, view.x1], low = value_at(side, a), last = value_at(side, b)
        const ticks = linear(Math.min(low, last), Math.max(low, last), (upright ? high() : wide()) / (upright ? 40 : 80))
        ctx.textAlign = upright ? 'right' : 'center'
        ctx.textBaseline = upright ? 'middle' : 'top'
        for (const t of ticks) {
            const at = upright ? Y(cell_at(side, t)) : X(cell_at(side, t)), text = label(t, ticks, false)
            ctx.fillRect(upright ? LEFT - 5 : at - 0.5, upright ? at - 0.5 : TOP + high(), upright ? 5 : 1, upright ? 1 : 5)
            ctx.fillText(text, upright ? LEFT - 8 : at, upright ? at : TOP + high() + 7)
        }
    }

    function draw() {
        ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
        ctx.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight)
        ctx.imageSmoothingEnabled = false
        ctx.save()
        ctx.beginPath()
        ctx.rect(LEFT, TOP, wide(), high())
        ctx.clip()
        ctx.drawImage(cells, X(0), Y(y.n), X(x.n) - X(0), Y(0) - Y(y.n))
        ctx.restore()
        ctx.strokeStyle = ctx.fillStyle = colour('--soft')
        ctx.strokeRect(LEFT - 0.5, TOP - 0.5, wide() + 1, high() + 1)
        ctx.font = '12px system-ui, sans-serif'
        axis(x, false)
        axis(y, true)
        ctx.textAlign = 'center'
        ctx.fillText(x.name, LEFT + wide() / 2, canvas.clientHeight - 16)
        ctx.save()
        ctx.translate(8, TOP + high() / 2)
        ctx.rotate(-Math.PI / 2)
        ctx.fillText(y.name, 0, 0)
        ctx.restore()
    }

    // What is under the pointer.
    function tell(event) {
        const r = canvas.getBoundingClientRect(), px = event.clientX - r.left, py = event.clientY - r.top
        const i = Math.floor(view.x0 + (px - LEFT) / wide() * (view.x1 - view.x0)), j = Math.floor(view.y1 - (py - TOP) / high() * (view.y1 - view.y0))
        const inside = px >= LEFT && px <= LEFT + wide() && py >= TOP && py <= TOP + high() && i >= 0 && j >= 0 && i < x.n && j < y.n
        if (!inside)
            return void (place.textContent = '')
        const v = values[i * y.n + j], known = !data.missing || !data.missing.includes(i * y.n + j)
        const text = !known ? 'missing' : Number.isNaN(v) ? 'failed' : data.categories ? data.categories[v] : v === Infinity ? 'inf' : v === -Infinity ? '−inf' : short(v)
        place.textContent = `${x.name} = ${short(value_at(x, i + 0.5))}, ${y.name} = ${short(value_at(y, j + 0.5))}: ${data.name} = ${text}`
    }

    function zoom(factor, px, py) { // what is under the pointer stays there
        const f = Math.max(factor, 2 / Math.max(view.x1 - view.x0, view.y1 - view.y0))
        if ((view.x1 - view.x0) * f > 2 * x.n)
            return home()
        const [x0, x1] = scaled([view.x0, view.x1], f, px == null ? 0.5 : (px - LEFT) / wide())
        const [y0, y1] = scaled([view.y0, view.y1], f, py == null ? 0.5 : (TOP + high() - py) / high())
        Object.assign(view, {x0, x1, y0, y1})
    }
    const change = action => {
        action()
        draw()
    }
    gestures(canvas, {
        drag(dx, dy) {
            const mx = -dx / wide() * (view.x1 - view.x0), my = dy / high() * (view.y1 - view.y0)
            change(() => Object.assign(view, {x0: view.x0 + mx, x1: view.x1 + mx, y0: view.y0 + my, y1: view.y1 + my}))
        },
        zoom(factor, px, py) { change(() => zoom(factor, px, py)) },
    })
    canvas.addEventListener('pointermove', tell)
    canvas.addEventListener('pointerleave', () => { place.textContent = '' })
    canvas.addEventListener('dblclick', () => change(home))
    tools.className = 'tools'
    unit.className = 'unit'
    tools.append(button('+', 'zoom in', () => change(() => zoom(0.5))), button('−', 'zoom out', () => change(() => zoom(2))),
                 button('reset', 'show all (double click)', () => change(home)))
    place.textContent = ''
    unit.append(place, tools)
    figure.querySelector('.static').before(key(data), unit, canvas)
    figure.classList.add('ready')

    function resize() {
        ratio = devicePixelRatio || 1
        canvas.style.height = `${Math.max(260, Math.min(720, innerHeight * 0.75, canvas.clientWidth * 0.8))}px`
        canvas.width = Math.round(canvas.clientWidth * ratio)
        canvas.height = Math.round(canvas.clientHeight * ratio)
        draw()
    }
    home()
    resize()
    new ResizeObserver(() => { if (Math.round(canvas.clientWidth * ratio) !== canvas.width) resize() }).observe(canvas)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
}

const figures = document.querySelectorAll('figure.map')
let built = 0
for (const figure of figures) {
    try {
        build(figure)
        built++
    } catch (error) {
        figure.classList.remove('ready')
        console.error(error)
    }
}
document.documentElement.dataset.maps = `${built}/${figures.length}`
