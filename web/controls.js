// controls.js: what the tools of plots, maps and animations share.
export function button(text, title, action) {
    const b = document.createElement('button')
    b.type = 'button'
    b.textContent = text
    b.title = title
    b.setAttribute('aria-label', title)
    b.addEventListener('click', action)
    return b
}

// An interval scaled about a place in it: 0 its begin, 1 its end.
export function scaled([a, b], factor, place = 0.5) {
    const c = a + place * (b - a)
    return [c + factor * (a - c), c + factor * (b - c)]
}
