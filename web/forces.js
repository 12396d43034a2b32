// forces.js: contact forces of a run: nine numbers each (point, force on the second body, mode, the two bodies), of frame k
// those from run.from[k] to run.from[k + 1].

// The strongest mode of the contacts of each body: slip before stick.
export function modes_of(run, k) {
    const modes = new Map()
    for (let i = run.from[k]; i < run.from[k + 1]; i++)
        for (const body of [run.arrows[9 * i + 7], run.arrows[9 * i + 8]])
            modes.set(body, Math.max(modes.get(body) || 0, run.arrows[9 * i + 6]))
    return modes
}

// What a long arrow stands for: one in twenty is longer, those of impacts that a step has smeared over its length.
export function typical(runs) {
    const sizes = []
    for (const run of runs)
        for (let i = 0; i < run.arrows.length; i += 9)
            sizes.push(Math.hypot(run.arrows[i + 3], run.arrows[i + 4], run.arrows[i + 5]))
    const some = sizes.filter(f => f > 0).sort((a, b) => a - b)
    return some.length ? some[some.length - 1 - Math.floor(some.length / 20)] : 0
}
