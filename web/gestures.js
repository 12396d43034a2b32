// gestures.js: dragging, pinching and the wheel over a picture. on.drag(dx, dy, second), on.zoom(factor, x, y): pixels of
// the page from the upper left corner; second: with shift, another button or two fingers. The wheel belongs to the page
// until the picture was clicked, and with ctrl.
export function gestures(canvas, on) {
    const down = new Map()
    let second = false
    canvas.tabIndex = 0
    canvas.style.touchAction = 'pan-y'
    const place = event => {
        const r = canvas.getBoundingClientRect()
        return [event.clientX - r.left, event.clientY - r.top]
    }
    const spread = () => {
        const [a, b] = [...down.values()]
        return [Math.hypot(a[0] - b[0], a[1] - b[1]) || 1, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
    }
    canvas.addEventListener('pointerdown', event => {
        down.set(event.pointerId, place(event))
        second = event.shiftKey || event.button > 0
        canvas.setPointerCapture(event.pointerId)
    })
    canvas.addEventListener('pointermove', event => {
        const before = down.get(event.pointerId)
        if (!before)
            return
        const old = down.size === 2 ? spread() : null, now = place(event)
        down.set(event.pointerId, now)
        if (!old)
            return void (down.size === 1 && on.drag(now[0] - before[0], now[1] - before[1], second))
        const [size, x, y] = spread()
        on.drag(x - old[1], y - old[2], true)
        on.zoom(old[0] / size, x, y)
    })
    for (const end of ['pointerup', 'pointercancel'])
        canvas.addEventListener(end, event => down.delete(event.pointerId))
    canvas.addEventListener('contextmenu', event => event.preventDefault())
    canvas.addEventListener('wheel', event => {
        if (document.activeElement !== canvas && !event.ctrlKey)
            return
        event.preventDefault()
        on.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200), ...place(event))
    }, {passive: false})
    canvas.addEventListener('keydown', event => {
        const step = {ArrowLeft: [20, 0], ArrowRight: [-20, 0], ArrowUp: [0, 20], ArrowDown: [0, -20]}[event.key]
        if (step)
            on.drag(...step, event.shiftKey)
        else if (event.key === '+' || event.key === '-')
            on.zoom(event.key === '+' ? 0.8 : 1.25, canvas.clientWidth / 2, canvas.clientHeight / 2)
        else
            return
        event.preventDefault()
    })
}
