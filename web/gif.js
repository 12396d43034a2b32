// gif.js: an animated GIF (89a) from pixels: the 255 most frequent of 32 steps of red, green and blue; codes by LZW with up
// to 12 bits; of each frame the smallest box around what differs.
const CLEAR = 256, CODES = 4096, COLOURS = 255
const bin_of = (d, i) => (d[i] >> 3) << 10 | (d[i + 1] >> 3) << 5 | d[i + 2] >> 3
const word = x => [x & 255, x >> 8]

// counts: of each bin how often it appears and the sums of its red, green and blue.
function choose_colours(counts) {
    const bins = [...Array(1 << 15).keys()].filter(b => counts[4 * b]).sort((a, b) => counts[4 * b] - counts[4 * a]).slice(0, COLOURS)
    const palette = new Uint8Array(3 * 256), index = new Int16Array(1 << 15).fill(-1)
    bins.forEach((b, i) => {
        index[b] = i
        palette.set([1, 2, 3].map(c => Math.round(counts[4 * b + c] / counts[4 * b])), 3 * i)
    })
    return {palette, index, n: bins.length}
}

function nearest_colour({palette, n}, bin) { // for what the palette does not have
    const distance = i => [0, 1, 2].reduce((s, c) => s + (palette[3 * i + c] - 8 * (bin >> (10 - 5 * c) & 31) - 4) ** 2, 0)
    return [...Array(n).keys()].reduce((a, b) => distance(b) < distance(a) ? b : a)
}

function codes(pixels, wide, {x0, y0, x1, y1}) {
    const out = new Uint8Array(2 * (x1 - x0) * (y1 - y0) + 1024), next_of = new Uint16Array(CODES << 8)
    let size = 9, next = CLEAR + 2, prefix = -1, bits = 0, nbits = 0, end = 2, begin = 1 // blocks of 255 with their lengths
    out[0] = 8
    const put = code => {
        bits |= code << nbits
        for (nbits += size; nbits >= 8; nbits -= 8, bits >>= 8) {
            out[end++] = bits & 255
            if (end - begin === 256)
                out[begin] = 255, begin = end++
        }
    }
    put(CLEAR)
    for (let y = y0; y < y1; y++)
        for (let i = y * wide + x0; i < y * wide + x1; i++) {
            const key = prefix << 8 | pixels[i]
            if (prefix < 0 || next_of[key]) {
                prefix = prefix < 0 ? pixels[i] : next_of[key]
                continue
            }
            put(prefix)
            next_of[key] = next
            size += next === 1 << size && size < 12 ? 1 : 0
            prefix = pixels[i]
            if (++next === CODES) {
                put(CLEAR)
                next_of.fill(0)
                size = 9, next = CLEAR + 2
            }
        }
    put(prefix)
    size += next === 1 << size && size < 12 ? 1 : 0
    put(CLEAR + 1)
    size = 7 // the rest of the last byte
    put(0)
    out[begin] = end - begin - 1
    end -= out[begin] === 0 ? 1 : 0
    out[end++] = 0
    return out.slice(0, end)
}

// The smallest box around what differs, one pixel at least.
function changed(last, now, wide, high) {
    const box = {x0: wide, y0: high, x1: 0, y1: 0}
    for (let i = 0; i < now.length; i++)
        if (!last || last[i] !== now[i]) {
            const x = i % wide, y = (i - x) / wide
            box.x0 = Math.min(box.x0, x), box.x1 = Math.max(box.x1, x + 1), box.y0 = Math.min(box.y0, y), box.y1 = Math.max(box.y1, y + 1)
        }
    return box.x1 ? box : {x0: 0, y0: 0, x1: 1, y1: 1}
}

// pixels(k): RGBA of frame k of n; tell(part) is called now and then, and may wait.
export async function gif(wide, high, n, centiseconds, pixels, tell) {
    const counts = new Float64Array(4 << 15)
    for (let k = 0; k < n; k += Math.max(1, n >> 4)) {
        const d = pixels(k)
        for (let i = 0; i < d.length; i += 4) {
            const b = 4 * bin_of(d, i)
            counts[b]++, counts[b + 1] += d[i], counts[b + 2] += d[i + 1], counts[b + 3] += d[i + 2]
        }
    }
    const colours = choose_colours(counts), {index} = colours
    const parts = [new TextEncoder().encode('GIF89a'), Uint8Array.of(...word(wide), ...word(high), 0xf7, 0, 0), colours.palette,
                   Uint8Array.of(0x21, 0xff, 11), new TextEncoder().encode('NETSCAPE2.0'), Uint8Array.of(3, 1, 0, 0, 0)]
    for (let k = 0, last = null; k < n; k++) {
        const d = pixels(k), now = new Uint8Array(wide * high)
        for (let i = 0; i < now.length; i++) {
            const b = bin_of(d, 4 * i)
            now[i] = index[b] < 0 ? index[b] = nearest_colour(colours, b) : index[b]
        }
        const box = changed(last, now, wide, high)
        parts.push(Uint8Array.of(0x21, 0xf9, 4, 4, ...word(centiseconds), 0, 0, 0x2c, ...word(box.x0), ...word(box.y0),
                                 ...word(box.x1 - box.x0), ...word(box.y1 - box.y0), 0), codes(now, wide, box))
        last = now
        await tell((k + 1) / n)
    }
    return new Blob([...parts, Uint8Array.of(0x3b)], {type: 'image/gif'})
}
