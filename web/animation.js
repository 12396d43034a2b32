// animation.js: every <figure class="animation"> plays its mechanism on a canvas, in real time.
// Needs nothing but the browser, so that pages of a build without uPlot have it, too.
(() => {
    'use strict'
    const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
    const calm = matchMedia('(prefers-reduced-motion: reduce)')

    function bytes(text) { return Uint8Array.from(atob(text), c => c.charCodeAt(0)) }
    function floats(text, wide) {
        const raw = bytes(text), view = new DataView(raw.buffer), size = wide ? 8 : 4
        return Array.from({length: raw.length / size}, (_, i) => wide ? view.getFloat64(8 * i, true) : view.getFloat32(4 * i, true))
    }

    // The last frame at or before t.
    function find(times, t) {
        let a = 0, b = times.length - 1
        while (a < b) {
            const m = (a + b + 1) >> 1
            times[m] <= t ? a = m : b = m - 1
        }
        return a
    }

    function build(figure) {
        const data = JSON.parse(figure.querySelector('script').textContent)
        const times = floats(data.t, true), runs = data.runs
        for (const run of runs) {
            for (const s of run.shapes)
                s.values = floats(s.data, false)
            run.modes = run.modes ? bytes(run.modes) : new Uint8Array(0)
            run.hits = run.hits ? floats(run.hits, true) : []
        }
        const canvas = figure.querySelector('canvas'), ctx = canvas.getContext('2d')
        const [x0, y0, x1, y1] = data.box
        const end = times[times.length - 1], begin = times[0]
        let t = begin, playing = false, last = 0, speed = 1, scale = 1, ratio = 1

        const play = figure.querySelector('.play'), slider = figure.querySelector('input'), clock = figure.querySelector('output')
        const rate = figure.querySelector('select')
        slider.max = '1000'
        slider.step = 'any'

        function resize() {
            const wide = canvas.clientWidth
            ratio = devicePixelRatio || 1
            const high = Math.max(140, Math.min(460, innerHeight * 0.7, wide * (y1 - y0) / (x1 - x0)))
            canvas.style.height = `${high}px`
            canvas.width = Math.round(wide * ratio)
            canvas.height = Math.round(high * ratio)
            scale = Math.min(canvas.width / (x1 - x0), canvas.height / (y1 - y0))
            paint()
        }
        const X = x => canvas.width / 2 + (x - (x0 + x1) / 2) * scale
        const Y = y => canvas.height / 2 - (y - (y0 + y1) / 2) * scale

        function at(s, k, part) { // coordinates of a shape, between two frames
            const n = s.n
            if (s.values.length === n)
                return s.values
            const a = s.values.slice(k * n, k * n + n)
            if (part > 0 && k + 1 < times.length)
                for (let i = 0; i < n; i++)
                    a[i] += part * (s.values[(k + 1) * n + i] - a[i])
            return a
        }

        function trace(s, c) {
            ctx.beginPath()
            if (s.type === 'circle') {
                ctx.arc(X(c[0]), Y(c[1]), Math.max(Math.abs(c[2]) * scale, 1), 0, 2 * Math.PI)
                if (c.length > 3) {
                    ctx.moveTo(X(c[0]), Y(c[1]))
                    ctx.lineTo(X(c[0] + c[2] * Math.cos(c[3])), Y(c[1] + c[2] * Math.sin(c[3])))
                }
            } else if (s.type === 'point') {
                ctx.arc(X(c[0]), Y(c[1]), 4 * ratio, 0, 2 * Math.PI)
            } else if (s.type === 'spring') {
                spring(X(c[0]), Y(c[1]), X(c[2]), Y(c[3]))
            } else {
                for (let i = 0; i + 1 < c.length; i += 2)
                    i ? ctx.lineTo(X(c[i]), Y(c[i + 1])) : ctx.moveTo(X(c[i]), Y(c[i + 1]))
                if (s.type === 'polygon')
                    ctx.closePath()
            }
        }

        function spring(ax, ay, bx, by) {
            const length = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / length, uy = (by - ay) / length, w = 6 * ratio
            ctx.moveTo(ax, ay)
            for (let i = 0; i <= 20; i++) {
                const d = length * (0.1 + 0.8 * i / 20), side = i === 0 || i === 20 ? 0 : i % 2 ? w : -w
                ctx.lineTo(ax + ux * d - uy * side, ay + uy * d + ux * side)
            }
            ctx.lineTo(bx, by)
        }

        function shape(run, r, s, k, part) {
            const mode = s.contact == null ? 0 : run.modes[k * run.contacts + s.contact] || 0
            const marker = s.type === 'point' && s.contact != null
            if (marker && !mode)
                return
            const lit = mode ? colour(mode === 3 ? '--c1' : '--c2') : null
            trace(s, at(s, k, part))
            ctx.globalAlpha = r ? 0.55 : 1
            ctx.lineWidth = (s.style === 'thin' ? 1 : s.style === 'ground' ? 2.5 : 2) * ratio
            ctx.setLineDash(s.style === 'dashed' ? [5 * ratio, 4 * ratio] : [])
            const ink = s.style === 'thin' || s.style === 'dashed' ? colour('--soft') : colour('--ink')
            ctx.strokeStyle = lit || (runs.length > 1 && s.style === 'body' ? colour(`--c${r % 8}`) : ink)
            if (s.type === 'point') {
                ctx.fillStyle = lit || ink
                ctx.fill()
            } else if (s.style === 'body' && s.type !== 'line' && s.type !== 'spring') {
                ctx.fillStyle = colour('--body')
                ctx.fill()
                ctx.stroke()
            } else {
                ctx.stroke()
            }
            ctx.globalAlpha = 1
            ctx.setLineDash([])
        }

        function paint() {
            const k = find(times, t), next = Math.min(k + 1, times.length - 1)
            const part = times[next] > times[k] ? (t - times[k]) / (times[next] - times[k]) : 0
            ctx.clearRect(0, 0, canvas.width, canvas.height)
            ctx.lineJoin = ctx.lineCap = 'round'
            let hit = false
            runs.forEach((run, r) => {
                run.shapes.forEach(s => shape(run, r, s, k, part))
                const i = find(run.hits, t)
                hit = hit || (run.hits.length > 0 && run.hits[i] <= t && t - run.hits[i] < 0.12 * speed)
            })
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
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)
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
            console.error(error)
        }
    }
    document.documentElement.dataset.animations = `${built}/${figures.length}`
})()
