// draw.js: one series on a canvas. Coordinates are pixels; u is the plot of uPlot.
// Series come thinned (src/output/page/thin.c), so every point of theirs is drawn.
function visit(u, s, each) {
    const X = v => u.valToPos(v, 'x', true), Y = v => u.valToPos(v, 'y', true)
    const {x, y} = s
    for (let i = 0; i < x.length; i++)
        each(i, x[i], y[i], X, Y)
}

const good = (u, x, y) => Number.isFinite(x) && Number.isFinite(y) && !(u.logx && x <= 0) && !(u.logy && y <= 0)

function line(u, s, ctx, sorted) {
    const path = new Path2D(), jumps = new Path2D()
    const {min, max} = u.scales.x
    let down = false, lastX = NaN, lastY = NaN
    visit(u, s, (i, x, y, X, Y) => {
        const outside = sorted && ((x < min && s.x[i + 1] < min) || (x > max && s.x[i - 1] > max))
        if (!good(u, x, y) || outside) {
            down = false
            lastX = NaN
            return
        }
        const qx = X(x), qy = Y(y)
        if (sorted && x === lastX && y !== lastY) {
            jumps.moveTo(qx, Y(lastY))
            jumps.lineTo(qx, qy)
            down = false
        }
        down ? path.lineTo(qx, qy) : path.moveTo(qx, qy)
        down = true
        lastX = x
        lastY = y
    })
    ctx.setLineDash(s.style === 'dashed' ? [7 * u.ratio, 5 * u.ratio] : [])
    ctx.stroke(path)
    ctx.setLineDash([2 * u.ratio, 3 * u.ratio])
    ctx.lineWidth *= 0.6
    ctx.stroke(jumps)
}

function steps(u, s, ctx) {
    const path = new Path2D()
    let down = false, py = 0
    visit(u, s, (i, x, y, X, Y) => {
        if (!good(u, x, y))
            return void (down = false)
        const qx = X(x), qy = Y(y)
        if (down)
            path.lineTo(qx, py)
        down ? path.lineTo(qx, qy) : path.moveTo(qx, qy)
        down = true
        py = qy
    })
    ctx.stroke(path)
}

function stems(u, s, ctx) {
    const path = new Path2D(), dots = new Path2D()
    visit(u, s, (i, x, y, X, Y) => {
        if (!good(u, x, y) || y === 0)
            return
        const qx = X(x), qy = Y(y)
        path.moveTo(qx, Y(0))
        path.lineTo(qx, qy)
        dots.moveTo(qx, qy)
        dots.arc(qx, qy, 2 * u.ratio, 0, 7)
    })
    ctx.stroke(path)
    ctx.fill(dots)
}

function points(u, s, ctx) {
    const n = s.x.length, many = n > 2000, r = (n > 20000 ? 0.7 : n > 6000 ? 0.9 : many ? 1.2 : n > 300 ? 1.6 : 3) * u.ratio
    ctx.globalAlpha = n > 20000 ? 0.75 : 1
    const path = new Path2D()
    visit(u, s, (i, x, y, X, Y) => {
        if (!good(u, x, y))
            return
        const qx = X(x), qy = Y(y)
        if (many) {
            path.rect(qx - r, qy - r, 2 * r, 2 * r)
        } else {
            path.moveTo(qx + r, qy)
            path.arc(qx, qy, r, 0, 7)
        }
    })
    ctx.fill(path)
    ctx.globalAlpha = 1
}

function bands(u, s, ctx) {
    const path = new Path2D()
    const height = Math.min(14 * u.ratio, 0.6 * Math.abs(u.valToPos(1, 'y', true) - u.valToPos(0, 'y', true)))
    for (let i = 0; i + 1 < s.x.length; i++) {
        if (!good(u, s.x[i], s.y[i]) || !good(u, s.x[i + 1], s.y[i + 1]))
            continue
        const a = u.valToPos(s.x[i], 'x', true), b = u.valToPos(s.x[i + 1], 'x', true), c = u.valToPos(s.y[i], 'y', true)
        path.rect(a, c - height / 2, Math.max(b - a, u.ratio), height)
    }
    ctx.fill(path)
}

// Where a path begins (open) and ends (filled).
function ends(u, s, ctx) {
    const from = s.x.findIndex((x, i) => good(u, x, s.y[i]))
    let to = s.x.length - 1
    while (to > from && !good(u, s.x[to], s.y[to]))
        to--
    if (from < 0)
        return
    ctx.setLineDash([])
    for (const [i, r] of [[from, 4], [to, 3]]) {
        ctx.beginPath()
        ctx.arc(u.valToPos(s.x[i], 'x', true), u.valToPos(s.y[i], 'y', true), r * u.ratio, 0, 7)
        i === to ? ctx.fill() : ctx.stroke()
    }
}

export function series(u, s, colour) {
    const ctx = u.ctx, {left, top, width, height} = u.bbox
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, top, width, height)
    ctx.clip()
    ctx.strokeStyle = ctx.fillStyle = colour
    ctx.lineWidth = 1.6 * u.ratio
    ctx.lineJoin = ctx.lineCap = 'round'
    if (s.style === 'points')
        points(u, s, ctx)
    else if (s.style === 'steps')
        steps(u, s, ctx)
    else if (s.style === 'stems')
        stems(u, s, ctx)
    else if (s.style === 'band')
        bands(u, s, ctx)
    else
        line(u, s, ctx, s.style !== 'path')
    if (s.style === 'line-points') {
        ctx.setLineDash([])
        points(u, s, ctx)
    }
    if (s.style === 'path')
        ends(u, s, ctx)
    ctx.restore()
}

// Lines across the plot, points with a text, slope triangles.
export function mark(u, m, colour) {
    const ctx = u.ctx, {left, top, width, height} = u.bbox, r = u.ratio
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, top, width, height)
    ctx.clip()
    ctx.strokeStyle = ctx.fillStyle = colour
    ctx.lineWidth = r
    ctx.font = `${12 * r}px system-ui, sans-serif`
    ctx.textAlign = 'left'
    ctx.textBaseline = 'alphabetic'
    const x = m.x == null ? NaN : u.valToPos(m.x, 'x', true), y = m.y == null ? NaN : u.valToPos(m.y, 'y', true)
    ctx.beginPath()
    if (m.slope) {
        const wide = 1.9, x1 = u.valToPos(m.x * wide, 'x', true), y1 = u.valToPos(m.y * wide ** m.slope, 'y', true)
        ctx.moveTo(x, y)
        ctx.lineTo(x1, y)
        ctx.lineTo(x1, y1)
        ctx.closePath()
        ctx.stroke()
        ctx.fillText(m.text, x1 + 4 * r, (y + y1) / 2 + 4 * r)
    } else if (m.x == null || m.y == null) {
        ctx.setLineDash([4 * r, 3 * r])
        m.x == null ? (ctx.moveTo(left, y), ctx.lineTo(left + width, y)) : (ctx.moveTo(x, top), ctx.lineTo(x, top + height))
        ctx.stroke()
        m.x == null ? ctx.fillText(m.text, left + 6 * r, y - 4 * r) : ctx.fillText(m.text, x + 4 * r, top + 12 * r)
    } else {
        ctx.arc(x, y, 3 * r, 0, 7)
        ctx.fill()
        ctx.fillText(m.text, x + 6 * r, y - 5 * r)
    }
    ctx.restore()
}
