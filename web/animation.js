// animation.js: every <figure class="animation"> plays its mechanism on a canvas, in real time: in the plane or in space.
// Needs nothing but the browser, so that pages of a build without uPlot have it, too.
import {button} from './controls.js'
import {doubles, colour} from './decode.js'
import {gif} from './gif.js'
import {planar} from './planar.js'
import {space} from './space.js'

const calm = matchMedia('(prefers-reduced-motion: reduce)')

// The last frame at or before t.
function find(times, t) {
    let a = 0, b = times.length - 1
    while (a < b) {
        const m = (a + b + 1) >> 1
        times[m] <= t ? a = m : b = m - 1
    }
    return a
}

function toggle(text, on, action) {
    const label = document.createElement('label'), box = document.createElement('input')
    box.type = 'checkbox'
    box.checked = on
    box.addEventListener('change', () => action(box.checked))
    label.append(box, text)
    return label
}

function follower(names, action) {
    const select = document.createElement('select')
    select.setAttribute('aria-label', 'follow')
    select.append(new Option('follow …', '-1'), ...names.slice(0, 500).map((name, i) => new Option(name, String(i))))
    select.addEventListener('change', () => action(Number(select.value)))
    return select
}

// The whole motion at its speed as a file, from the picture itself: at most 300 frames, 640 pixels wide.
async function save(canvas, name, seconds, show, tell) {
    const n = Math.max(2, Math.min(300, Math.round(25 * seconds))), copy = document.createElement('canvas')
    const to = copy.getContext('2d', {willReadFrequently: true}), {width, height} = canvas, paper = colour('--paper') || '#fff'
    copy.width = Math.min(640, width)
    copy.height = Math.max(1, Math.round(height * copy.width / width))
    const file = await gif(copy.width, copy.height, n, Math.max(2, Math.round(100 * seconds / n)), k => {
        show(k / (n - 1))
        to.fillStyle = paper
        to.fillRect(0, 0, copy.width, copy.height)
        to.drawImage(canvas, 0, 0, copy.width, copy.height)
        return to.getImageData(0, 0, copy.width, copy.height).data
    }, tell)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'animation'}.gif`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

function build(figure) {
    const data = JSON.parse(figure.querySelector('script').textContent)
    const times = doubles(data.t), runs = data.runs, hits = runs.map(run => doubles(run.hits))
    const canvas = figure.querySelector('canvas')
    const picture = (data.space ? space : planar)(canvas, data, times.length, () => playing || paint())
    if (!picture) {
        canvas.remove()
        figure.querySelector('.controls').remove()
        return // the still picture stays
    }
    const end = times[times.length - 1], begin = times[0]
    const look = {follow: -1, forces: false, modes: false}
    let t = begin, playing = false, last = 0, speed = 1, ratio = 1

    const play = figure.querySelector('.play'), slider = figure.querySelector('input'), clock = figure.querySelector('output')
    const rate = figure.querySelector('select')
    slider.max = '1000'
    slider.step = 'any'

    function resize() {
        const wide = canvas.clientWidth
        ratio = devicePixelRatio || 1
        const high = Math.max(140, Math.min(620, innerHeight * 0.7, wide * picture.shape))
        canvas.style.height = `${high}px`
        canvas.width = Math.round(wide * ratio)
        canvas.height = Math.round(high * ratio)
        picture.resize(ratio)
        paint()
    }

    function paint() {
        const k = find(times, t), next = Math.min(k + 1, times.length - 1)
        const part = times[next] > times[k] ? (t - times[k]) / (times[next] - times[k]) : 0
        picture.paint(k, part, look)
        const hit = hits.some(list => list.length > 0 && list[find(list, t)] <= t && t - list[find(list, t)] < 0.12 * speed)
        canvas.style.borderColor = hit ? colour('--c7') : ''
        clock.textContent = `t = ${t.toFixed(Math.max(2, Math.min(5, 3 - Math.floor(Math.log10(end - begin || 1)))))}`
        slider.value = String(1000 * (t - begin) / (end - begin || 1))
    }

    function tick(now) {
        if (!playing)
            return
        t += (now - last) / 1000 * speed
        last = now
        if (t >= end) {
            t = end
            stop()
        }
        paint()
        if (playing)
            requestAnimationFrame(tick)
    }
    function stop() {
        playing = false
        play.textContent = '▶'
        play.setAttribute('aria-label', 'play')
    }
    play.addEventListener('click', () => {
        if (playing)
            return stop()
        if (t >= end)
            t = begin
        playing = true
        play.textContent = '❚❚'
        play.setAttribute('aria-label', 'pause')
        last = performance.now()
        requestAnimationFrame(tick)
    })
    slider.addEventListener('input', () => {
        t = begin + (end - begin) * slider.value / 1000
        paint()
    })
    rate.addEventListener('change', () => { speed = Number(rate.value) })
    const set = (name, value) => {
        look[name] = value
        paint()
    }
    const zoom = factor => {
        picture.zoom(factor)
        paint()
    }
    const follow = follower(picture.bodies, i => set('follow', i))
    const more = [button('+', 'zoom in', () => zoom(0.7)), button('−', 'zoom out', () => zoom(1 / 0.7)), button('⌂', 'show all', () => {
        look.follow = -1
        follow.value = '-1'
        picture.home()
        paint()
    })]
    if (picture.bodies.length)
        more.push(follow)
    if (picture.forces)
        more.push(toggle('forces', false, on => set('forces', on)), toggle('colour by contact', false, on => set('modes', on)))
    const record = button('GIF', 'save the animation as a GIF', async () => {
        const before = t
        stop()
        record.disabled = true
        let seen = performance.now()
        await save(canvas, document.title, Math.min((end - begin) / speed, 60), part => {
            t = begin + part * (end - begin)
            paint()
        }, part => {
            record.textContent = `${Math.round(100 * part)} %`
            if (performance.now() - seen < 100)
                return null
            return new Promise(resolve => setTimeout(() => resolve(seen = performance.now())))
        })
        record.textContent = 'GIF'
        record.disabled = false
        t = before
        paint()
    })
    figure.querySelector('.controls').append(...more, record)
    // Real time, unless that is over in a blink or takes an hour.
    const ideal = (end - begin) / 10
    speed = ideal > 6 || ideal < 0.06 ? 10 ** Math.round(Math.log10(ideal)) : 1
    if (![...rate.options].some(o => Number(o.value) === speed))
        rate.append(new Option(`×${speed}`, String(speed)))
    rate.value = String(speed)
    figure.classList.add('ready')
    stop()
    resize()
    new ResizeObserver(() => { if (Math.round(canvas.clientWidth * ratio) !== canvas.width) resize() }).observe(canvas)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        picture.restyle()
        paint()
    })
    if (!calm.matches && 'IntersectionObserver' in window) { // begins by itself once, when it is first seen
        const seen = new IntersectionObserver(entries => {
            if (entries.some(e => e.isIntersecting)) {
                seen.disconnect()
                if (!playing && t === begin)
                    play.click()
            }
        }, {threshold: 0.6})
        seen.observe(canvas)
    }
}

const figures = document.querySelectorAll('figure.animation')
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
document.documentElement.dataset.animations = `${built}/${figures.length}`
