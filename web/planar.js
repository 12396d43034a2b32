// planar.js: shapes in the plane on a canvas. See space.js for what a picture is.
import {floats, bytes, colour} from './decode.js'
import {modes_of, typical} from './forces.js'
import {gestures} from './gestures.js'

export function planar(canvas, data, frames, redraw) {
    const ctx = canvas.getContext('2d'), runs = data.runs, [x0, y0, x1, y1] = data.box
    for (const run of runs) {
        for (const s of run.shapes)
            s.values = floats(s.data)
        run.modes = bytes(run.modes)
        run.arrows = floats(run.arrows)
        run.from = [0]
        for (const n of floats(run.counts))
            run.from.push(run.from[run.from.length - 1] + n)
    }
    // What can be followed: the first shape of each name that moves.
    const moving = runs[0].shapes.filter((s, i, all) => s.values.length > s.n && s.style === 'body' && all.findIndex(o => o.name === s.name) === i)
    const camera = {}
    let scale = 1, ratio = 1
    const strongest = typical(runs)
    const home = () => Object.assign(camera, {x: (x0 + x1) / 2, y: (y0 + y1) / 2, zoom: 1})
    const X = x => canvas.width / 2 + (x - camera.x) * scale
    const Y = y => canvas.height / 2 - (y - camera.y) * scale

    function at(s, k, part) { // coordinates of a shape, between two frames
        const n = s.n
        if (s.values.length === n)
            return s.values
        const a = s.values.slice(k * n, k * n + n)
        if (part > 0 && k + 1 < frames)
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

    function shape(run, r, s, k, part, modes) {
        const mode = s.contact == null ? (s.style === 'body' && modes.get(s.body)) || 0 : run.modes[k * run.contacts + s.contact] || 0
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

    // Forces that act on the second body of each contact; lengths grow with the root of the force.
    function arrows(run, k) {
        const longest = 0.22 * Math.min(canvas.width, 1.5 * canvas.height)
        for (let i = 9 * run.from[k]; i < 9 * run.from[k + 1]; i += 9) {
            const [x, y, , fx, fy, , mode] = run.arrows.subarray(i, i + 7), f = Math.hypot(fx, fy)
            const length = longest * Math.sqrt(Math.min(f / strongest, 2))
            if (length < 3 * ratio)
                continue
            const ux = fx / f, uy = -fy / f, ax = X(x), ay = Y(y), bx = ax + ux * length, by = ay + uy * length
            const head = Math.min(9 * ratio, 0.5 * length)
            ctx.strokeStyle = ctx.fillStyle = colour(mode === 3 ? '--c1' : '--c7')
            ctx.lineWidth = 2 * ratio
            ctx.beginPath()
            ctx.moveTo(ax, ay)
            ctx.lineTo(bx - ux * head, by - uy * head)
            ctx.stroke()
            ctx.beginPath()
            ctx.moveTo(bx, by)
            ctx.lineTo(bx - ux * head - uy * head * 0.45, by - uy * head + ux * head * 0.45)
            ctx.lineTo(bx - ux * head + uy * head * 0.45, by - uy * head - ux * head * 0.45)
            ctx.fill()
        }
    }

    function zoom(factor, x, y) { // what is under the pointer stays there
        const px = x == null ? 0 : x * ratio - canvas.width / 2, py = y == null ? 0 : canvas.height / 2 - y * ratio, before = scale
        camera.zoom = Math.max(0.05, Math.min(1000, camera.zoom / factor))
        fit()
        camera.x += px / before - px / scale
        camera.y += py / before - py / scale
    }
    function fit() { scale = camera.zoom * Math.min(canvas.width / (x1 - x0), canvas.height / (y1 - y0)) }

    gestures(canvas, {
        drag(dx, dy) {
            camera.x -= dx * ratio / scale
            camera.y += dy * ratio / scale
            redraw()
        },
        zoom(factor, x, y) {
            zoom(factor, x, y)
            redraw()
        },
    })
    home()
    return {
        bodies: moving.map(s => s.name), forces: strongest > 0, shape: (y1 - y0) / (x1 - x0), home, zoom, restyle() {},
        resize(r) {
            ratio = r
            fit()
        },
        paint(k, part, look) {
            fit()
            if (look.follow >= 0) {
                const s = moving[look.follow], c = at(s, k, part), n = s.type === 'circle' ? 2 : s.n
                camera.x = camera.y = 0
                for (let i = 0; i < n; i += 2) {
                    camera.x += c[i] / (n / 2)
                    camera.y += c[i + 1] / (n / 2)
                }
            }
            ctx.clearRect(0, 0, canvas.width, canvas.height)
            ctx.lineJoin = ctx.lineCap = 'round'
            runs.forEach((run, r) => {
                const modes = look.modes ? modes_of(run, k) : new Map()
                run.shapes.forEach(s => shape(run, r, s, k, part, modes))
                if (look.forces)
                    arrows(run, k)
            })
        },
    }
}
