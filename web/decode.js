// decode.js: numbers that stand in a page as base64.
export function bytes(text) {
    const raw = atob(text || ''), out = new Uint8Array(raw.length)
    for (let i = 0; i < raw.length; i++)
        out[i] = raw.charCodeAt(i)
    return out
}

export function doubles(text) {
    const raw = bytes(text), view = new DataView(raw.buffer), out = new Float64Array(raw.length >> 3)
    for (let i = 0; i < out.length; i++)
        out[i] = view.getFloat64(8 * i, true)
    return out
}

export function floats(text) {
    const raw = bytes(text), view = new DataView(raw.buffer), out = new Float32Array(raw.length >> 2)
    for (let i = 0; i < out.length; i++)
        out[i] = view.getFloat32(4 * i, true)
    return out
}

export const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
