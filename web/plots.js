// plots.js: every <figure class="plot"> gets an interactive plot over the static one: drag to zoom, double click to
// go back, a key to hide a series, values under the cursor. Ranges are kept here (view), not by uPlot, so that hiding
// a series or turning a phone keeps the zoom.
import uPlot from 'uplot'
import {button, scaled} from './controls.js'
import {linear, logarithmic, label, short} from './ticks.js'
import {doubles as floats, colour as colours} from './decode.js'
import {series as drawSeries, mark as drawMark} from './draw.js'

const all = []

// ---- ranges ----
function widen(low, high, log, part) {
    if (!(low <= high))
        return log ? [0.1, 10] : [0, 1]
    if (log) {
        const a = Math.log10(low), b = Math.log10(high), m = b > a ? part * (b - a) : 0.5
        return [10 ** (a - m), 10 ** (b + m)]
    }
    const size = Math.max(Math.abs(low), Math.abs(high))
    if (high - low <= 1e-13 * size || high === low)
        return size ? [low - 0.5 * size, high + 0.5 * size] : [-1, 1]
    return [low - part * (high - low), high + part * (high - low)]
}

function extent(p, axis, within) {
    let low = Infinity, high = -Infinity
    const log = axis === 'x' ? p.logx : p.logy
    const take = v => {
        if (Number.isFinite(v) && !(log && v <= 0)) {
            low = Math.min(low, v)
            high = Math.max(high, v)
        }
    }
    for (const s of p.series) {
        if (s.hidden)
            continue
        for (let i = 0; i < s.x.length; i++)
            if (Number.isFinite(s.x[i]) && Number.isFinite(s.y[i]) && (!within || (s.x[i] >= within[0] && s.x[i] <= within[1])))
                take(s[axis][i])
        if (axis === 'y' && s.style === 'stems')
            take(0)
    }
    if (axis === 'x' && p.to > p.from)
        [p.from, p.to].forEach(take)
    if (!within && axis === 'y')
        for (const m of p.marks)
            m.y != null && m.x == null && take(m.y)
    for (const m of within ? [] : p.marks) // triangles are seen as a whole
        if (m.slope)
            axis === 'x' ? [m.x, 1.9 * m.x].forEach(take) : [m.y, m.y * 1.9 ** m.slope].forEach(take)
    return [low, high]
}

// Plots with the same link show the same x, from the first to the last of all.
function common(p) {
    const [low, high] = extent(p, 'x')
    const ends = all.filter(o => p.link && o.link === p.link).map(o => extent(o, 'x'))
    return [Math.min(low, ...ends.map(e => e[0])), Math.max(high, ...ends.map(e => e[1]))]
}

function fit(p) {
    p.view.x = widen(...common(p), p.logx, p.both || p.logx ? 0.04 : 0.01)
    p.view.y = p.names ? [-0.6, p.names.length - 0.4] : widen(...extent(p, 'y'), p.logy, 0.06)
}

function follow(p) { // y fits what is visible
    if (!p.names && !p.both)
        p.view.y = widen(...extent(p, 'y', p.view.x), p.logy, 0.06)
}

function show(p, from) {
    p.u.batch(() => {
        p.u.setScale('x', {min: p.view.x[0], max: p.view.x[1]})
        p.u.setScale('y', {min: p.view.y[0], max: p.view.y[1]})
    })
    if (!p.link || from)
        return
    for (const other of all)
        if (other !== p && other.u && other.link === p.link) {
            other.view.x = [...p.view.x]
            follow(other)
            show(other, p)
        }
}

function zoom(p, factor) {
    const scale = (range, log) => log ? scaled(range.map(Math.log10), factor).map(x => 10 ** x) : scaled(range, factor)
    p.view.x = scale(p.view.x, p.logx)
    if (p.both)
        p.view.y = scale(p.view.y, p.logy)
    follow(p)
    show(p)
}

function reset(p) {
    fit(p)
    show(p)
}

// ---- values under the cursor ----
function nearest(p, s, left, top) { // index in s of the point at the cursor, and its distance in pixels
    let best = -1, least = Infinity
    const time = !p.both && s.style !== 'path' && s.style !== 'points'
    for (let i = 0; i < s.x.length; i++) {
        if (!Number.isFinite(s.x[i]) || !Number.isFinite(s.y[i]))
            continue
        const dx = p.u.valToPos(s.x[i], 'x') - left, dy = time ? 0 : p.u.valToPos(s.y[i], 'y') - top
        const d = dx * dx + dy * dy
        if (d < least) {
            least = d
            best = i
        }
    }
    return [best, least]
}

function read(p) {
    const {left, top} = p.u.cursor, off = left == null || left < 0
    p.place.textContent = off ? '' : `${p.x || 'x'} = ${short(p.u.posToVal(left, 'x'))}` +
        (p.both ? `, ${p.y || 'y'} = ${short(p.u.posToVal(top, 'y'))}` : '')
    for (const s of p.series) {
        if (off || s.hidden || p.names) {
            s.output.textContent = ''
            continue
        }
        const [i, d] = nearest(p, s, left, top)
        s.output.textContent = i < 0 || d > 40 * 40 ? '' : p.both ? `(${short(s.x[i])}, ${short(s.y[i])})` : short(s.second ? p.right * s.y[i] : s.y[i])
    }
}

// ---- building ----
function key(p, s) {
    const button = document.createElement('button'), swatch = document.createElement('i')
    const name = document.createElement('span')
    s.output = document.createElement('output')
    button.type = 'button'
    button.setAttribute('aria-pressed', 'true')
    swatch.className = s.style === 'points' ? 'point' : s.style === 'dashed' ? 'dash' : s.style === 'band' ? 'band' : ''
    const colour = `var(--c${s.c})`
    swatch.style.borderColor = colour
    if (s.style === 'points' || s.style === 'band')
        swatch.style.background = colour
    name.className = 'name'
    name.textContent = s.name
    button.append(swatch, name, s.output)
    button.addEventListener('click', () => {
        s.hidden = !s.hidden
        button.setAttribute('aria-pressed', String(!s.hidden))
        follow(p)
        show(p)
        p.u.redraw()
    })
    return button
}

function axes(p) {
    const colour = () => colours('--soft'), grid = {stroke: () => colours('--grid'), width: 1}
    const font = '12px system-ui, sans-serif'
    const splits = (log, pixels) => (u, i, low, high) =>
        (log ? logarithmic : linear)(low, high, Math.max(3, Math.floor((i ? u.bbox.height : u.bbox.width) / uPlot.pxRatio / pixels)))
    const filter = (u, ticks) => ticks // none is left without its label
    const names = p.names && p.names.map(n => n.length > 14 ? n.slice(0, 13) + '…' : n)
    const room = (u, labels) => names ? 92 : Math.max(58, 14 + 7 * Math.max(0, ...(labels || []).map(text => text.length)))
    const right = {scale: 'y', side: 1, filter, stroke: colour, grid: {show: false}, ticks: {...grid, size: 4}, font, size: 46, gap: 4, space: 10,
                   splits: splits(p.logy, 32), values: (u, ticks) => ticks.map(t => short(p.right * t))}
    return [
        {scale: 'x', filter, stroke: colour, grid, ticks: {...grid, size: 4}, font, size: 28, gap: 4, space: 10, splits: splits(p.logx, 75),
         values: (u, ticks) => ticks.map(t => label(t, ticks, p.logx))},
        {scale: 'y', filter, stroke: colour, grid, ticks: {...grid, size: 4}, font, size: room, gap: 4, space: 10,
         splits: names ? () => names.map((n, i) => i) : splits(p.logy, 32),
         values: (u, ticks) => names ? names : ticks.map(t => label(t, ticks, p.logy))},
        ...(p.right ? [right] : []),
    ]
}

function options(p, width) {
    const scale = (name, log) => ({time: false, auto: false, distr: log ? 3 : 1, range: () => p.view[name]})
    return {
        mode: 2, width, height: p.h, padding: [8, 10, 0, 0], legend: {show: false},
        scales: {x: scale('x', p.logx), y: scale('y', p.logy)}, axes: axes(p),
        cursor: {drag: {x: true, y: !!p.both, setScale: false, dist: 4}, points: {show: false}, y: !!p.both,
                 bind: {dblclick: () => () => reset(p)}},
        series: [null, ...p.series.map(s => ({
            show: true, facets: [{scale: 'x', auto: false}, {scale: 'y', auto: false}],
            paths: (u, i) => {
                if (!p.series[i - 1].hidden)
                    drawSeries(u, p.series[i - 1], colours(`--c${s.c}`))
                return null
            },
        }))],
        hooks: {
            ready: [u => Object.assign(u, {ratio: uPlot.pxRatio, logx: p.logx, logy: p.logy})],
            drawClear: [u => Object.assign(u, {ratio: uPlot.pxRatio, logx: p.logx, logy: p.logy})],
            draw: [u => p.marks.forEach(m => drawMark(u, m, colours('--soft')))],
            setCursor: [() => read(p)],
            setSelect: [u => {
                const {left, top, width: w, height: h} = u.select
                if (w > 4) {
                    p.view.x = [u.posToVal(left, 'x'), u.posToVal(left + w, 'x')]
                    if (p.both && h > 4)
                        p.view.y = [u.posToVal(top + h, 'y'), u.posToVal(top, 'y')]
                    follow(p)
                    show(p)
                }
                u.setSelect({left: 0, top: 0, width: 0, height: 0}, false)
            }],
        },
    }
}

function build(figure) {
    const p = JSON.parse(figure.querySelector('script').textContent)
    const data = p.data.map(floats)
    for (const s of p.series) {
        s.x = data[s.x]
        s.y = data[s.y]
    }
    p.view = {}
    fit(p)
    const live = document.createElement('div'), keys = document.createElement('div'), tools = document.createElement('div')
    const unit = document.createElement('div'), words = document.createElement('span')
    p.place = document.createElement('span')
    live.className = 'live'
    keys.className = 'keys'
    tools.className = 'tools'
    unit.className = 'unit'
    words.textContent = p.y
    tools.append(p.place, button('+', 'zoom in', () => zoom(p, 0.5)), button('−', 'zoom out', () => zoom(p, 2)),
                 button('reset', 'show all (double click)', () => reset(p)))
    unit.append(words, tools)
    if (p.series.length > 1 || p.series[0]?.name)
        keys.append(...p.series.map(s => key(p, s)).filter((k, i) => p.series[i].name))
    else
        p.series.forEach(s => key(p, s))
    const below = document.createElement('div')
    below.className = 'unit below'
    below.textContent = p.x
    figure.querySelector('.static').before(keys, unit, live, below)
    figure.classList.add('ready')
    p.u = new uPlot(options(p, Math.max(live.clientWidth, 100)), [null, ...p.series.map(s => [s.x, s.y])], live)
    all.push(p)
    new ResizeObserver(() => {
        const width = live.clientWidth
        if (width > 50 && width !== p.u.width)
            p.u.setSize({width, height: p.h})
    }).observe(live)
}

// A few at a time, in the order of the page, so that a long page answers at once.
const figures = [...document.querySelectorAll('figure.plot')]
const root = document.documentElement
let done = 0
function some() {
    const begin = performance.now()
    while (done < figures.length && performance.now() - begin < 30) {
        try {
            build(figures[done])
        } catch (error) {
            figures[done].classList.remove('ready') // the static plot stays
            console.error(error)
        }
        done++
    }
    root.dataset.plots = `${all.length}/${figures.length}`
    if (done < figures.length)
        return void setTimeout(some)
    for (const p of all)
        if (p.link) {
            fit(p)
            show(p, p)
        }
}
some()
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => all.forEach(p => p.u.redraw(false, true)))
