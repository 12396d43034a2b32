// ticks.js: where an axis has its ticks and what they say.
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹'

export function power(exponent) {
    const digits = [...String(Math.abs(exponent))].map(d => raised[d]).join('')
    return '10' + (exponent < 0 ? '⁻' : '') + digits
}

// Multiples of 1, 2 or 5 times a power of ten, at most `most` of them.
export function linear(low, high, most) {
    const rough = (high - low) / Math.max(most, 2)
    const unit = 10 ** Math.floor(Math.log10(rough))
    const step = [1, 2, 5, 10].map(m => m * unit).find(s => s >= rough * 0.999999)
    const ticks = []
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
        ticks.push(k * step)
    return ticks
}

// Powers of ten; where there are few, also 2 and 5 times those; where there is none, as on a linear axis.
export function logarithmic(low, high, most) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9)
    if (last - first < 1)
        return linear(low, high, most)
    const ticks = [], step = Math.ceil((last - first + 1) / most)
    if (last - first <= 1 && most >= 5) {
        for (let k = first - 1; k <= last; k++)
            for (const m of [1, 2, 5])
                if (m * 10 ** k >= low * 0.999999 && m * 10 ** k <= high * 1.000001)
                    ticks.push(m * 10 ** k)
        return ticks
    }
    for (let k = Math.ceil(first / step) * step; k <= last; k += step)
        ticks.push(10 ** k)
    return ticks
}

export function label(value, ticks, log) {
    if (value === 0)
        return '0'
    const size = Math.abs(value), exponent = Math.log10(size), whole = Math.round(exponent)
    if (log && Math.abs(exponent - whole) < 1e-6 && (whole > 3 || whole < -2))
        return (value < 0 ? '−' : '') + power(whole)
    if (log)
        return size >= 1e5 || size < 1e-3 ? short(value) : Number(value.toPrecision(4)).toString()
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : size
    const largest = Math.max(...ticks.map(Math.abs))
    if (largest >= 1e5 || largest < 1e-3) {
        const digits = Math.max(0, Math.min(12, Math.floor(Math.log10(size) + 1e-9) - Math.floor(Math.log10(step) + 1e-9)))
        return value.toExponential(digits).replace('-', '−').replace('e+', 'e').replace('e-', 'e−')
    }
    const digits = Math.max(0, Math.min(14, -Math.floor(Math.log10(step) + 1e-9)))
    return value.toFixed(digits).replace('-', '−')
}

// For people who point at something: six digits.
export function short(value) {
    if (!Number.isFinite(value))
        return '–'
    return Number(value.toPrecision(6)).toString().replace('-', '−').replace('e-', 'e−').replace('e+', 'e')
}
