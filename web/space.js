// space.js: bodies in space by WebGL2. Meshes come from the page; each is drawn once for all solids that have it.
// A picture has paint(k, part, look): frame k and the part of the way to the next; look: what the controls say.
import {bytes, floats, colour} from './decode.js'
import {modes_of, typical} from './forces.js'
import {gestures} from './gestures.js'

const PLAIN = 0, STRIDE = 16
const CYLINDER = 2, PLANE = 3, ARROW = 4, STANDARD = 5 // the first meshes: ball, box, cylinder, plane, arrow; then those of the model
const kinds = [1, 2, PLAIN, 3, PLAIN] // how the shader paints them

// ---- shaders: an instance is three rows of a matrix, a colour and a kind ----
const vertexShader = `#version 300 es
in vec3 position, normal;
in vec4 row0, row1, row2, tint;
uniform mat4 view;
out vec3 world, across, local;
flat out vec4 paint;
out float size;
void main() {
    vec4 p = vec4(position, 1);
    vec3 x = vec3(row0.x, row1.x, row2.x), y = vec3(row0.y, row1.y, row2.y), z = vec3(row0.z, row1.z, row2.z);
    world = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
    across = mat3(x, y, z)*(normal/vec3(dot(x, x), dot(y, y), dot(z, z)));
    local = position;
    size = length(x);
    paint = tint;
    gl_Position = view*vec4(world, 1);
}`
const fragmentShader = `#version 300 es
precision highp float;
in vec3 world, across, local;
flat in vec4 paint;
in float size;
uniform vec3 eye, up, ground, lines;
uniform float cell;
out vec4 pixel;
void main() {
    int kind = int(paint.w + 0.5);
    vec3 n = normalize(across), to = normalize(eye - world), base = paint.rgb;
    if (kind == 3) { // a plane: seen from its front alone, with a grid
        if (!gl_FrontFacing) discard;
        vec2 p = local.xy*size/cell, d = abs(fract(p - 0.5) - 0.5)/max(fwidth(p), vec2(1e-6));
        float fade = smoothstep(1.0, 0.6, length(local.xy)), line = (1.0 - min(min(d.x, d.y), 1.0))*clamp(0.4/max(fwidth(p.x), fwidth(p.y)), 0.0, 1.0);
        vec3 c = mix(ground, lines, line);
        pixel = vec4(c*(0.86 + 0.14*abs(dot(n, up))), 1.0)*fade;
        return;
    }
    if (kind == 1 && local.x*local.y*local.z > 0.0) base *= 0.8; // so that turning is seen
    float light = 0.42 + 0.38*max(dot(n, normalize(to + 0.9*up)), 0.0) + 0.2*(0.5 + 0.5*dot(n, up));
    vec3 c = base*light*1.15;
    if (kind == 2) { // edges of boxes
        vec3 e = (0.5 - abs(local))/max(fwidth(local), vec3(1e-6));
        float second = max(min(e.x, e.y), min(max(e.x, e.y), e.z));
        c *= mix(0.55, 1.0, smoothstep(0.4, 1.4, second));
    }
    pixel = vec4(c, 1.0);
}`

function program(gl) {
    const p = gl.createProgram()
    for (const [type, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
        const shader = gl.createShader(type)
        gl.shaderSource(shader, source)
        gl.compileShader(shader)
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
            throw new Error(gl.getShaderInfoLog(shader))
        gl.attachShader(p, shader)
    }
    gl.linkProgram(p)
    if (!gl.getProgramParameter(p, gl.LINK_STATUS))
        throw new Error(gl.getProgramInfoLog(p))
    return p
}

// A mesh on the graphics card with room for its instances.
function upload(gl, p, mesh, count) {
    const out = {array: gl.createVertexArray(), values: new Float32Array(STRIDE * Math.max(count, 1)), n: 0}
    gl.bindVertexArray(out.array)
    for (const name of ['position', 'normal']) {
        const at = gl.getAttribLocation(p, name)
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
        gl.bufferData(gl.ARRAY_BUFFER, floats(mesh[name]), gl.STATIC_DRAW)
        gl.enableVertexAttribArray(at)
        gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0)
    }
    const raw = bytes(mesh.triangles)
    out.corners = raw.length / 2
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer())
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, raw, gl.STATIC_DRAW)
    out.buffer = gl.createBuffer()
    gl.bindBuffer(gl.ARRAY_BUFFER, out.buffer)
    gl.bufferData(gl.ARRAY_BUFFER, out.values.byteLength, gl.DYNAMIC_DRAW)
    ;['row0', 'row1', 'row2', 'tint'].forEach((name, i) => {
        const at = gl.getAttribLocation(p, name)
        gl.enableVertexAttribArray(at)
        gl.vertexAttribPointer(at, 4, gl.FLOAT, false, 4 * STRIDE, 16 * i)
        gl.vertexAttribDivisor(at, 1)
    })
    return out
}

// ---- small algebra: rotations by rows ----
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
const unit = a => {
    const l = Math.hypot(...a) || 1
    return [a[0] / l, a[1] / l, a[2] / l]
}
const sideways = n => unit(cross(n, Math.abs(n[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]))

// Place and rotation of body b between frames k and k + 1.
function posed(run, frames, b, k, part, to) {
    const n = run.names.length, i = 7 * (k * n + b), j = part > 0 && k + 1 < frames ? i + 7 * n : i, p = run.poses
    const e = [0, 0, 0, 0]
    let norm = 0
    for (let c = 0; c < 3; c++)
        to[c] = p[i + c] + part * (p[j + c] - p[i + c])
    for (let c = 0; c < 4; c++) {
        e[c] = p[i + 3 + c] + part * (p[j + 3 + c] - p[i + 3 + c])
        norm += e[c] * e[c]
    }
    const [w, x, y, z] = e, s = 2 / (norm || 1)
    to[3] = 1 - s * (y * y + z * z), to[4] = s * (x * y - w * z), to[5] = s * (x * z + w * y)
    to[6] = s * (x * y + w * z), to[7] = 1 - s * (x * x + z * z), to[8] = s * (y * z - w * x)
    to[9] = s * (x * z - w * y), to[10] = s * (y * z + w * x), to[11] = 1 - s * (x * x + y * y)
    return to
}

function rgb(text) { // any colour of the style sheet as three numbers
    const c = document.createElement('canvas').getContext('2d')
    c.fillStyle = text
    c.fillRect(0, 0, 1, 1)
    return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
}
const mix = (a, b, s) => a.map((v, i) => v + s * (b[i] - v))

// ---- the picture ----
export function space(canvas, data, frames, redraw) {
    const gl = canvas.getContext('webgl2', {antialias: true, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true})
    if (!gl)
        return null
    const runs = data.runs, p = program(gl), [x0, y0, z0, x1, y1, z1] = data.box
    for (const run of runs) {
        run.poses = floats(run.poses)
        run.rods = floats(run.rods)
        run.rodCount = run.rods.length / 6 / frames
        run.arrows = floats(run.arrows)
        run.counts = floats(run.counts)
        run.from = [0]
        for (const n of run.counts)
            run.from.push(run.from[run.from.length - 1] + n)
    }
    for (const run of runs) { // meshes of its own follow those that all have
        const more = data.meshes.length - STANDARD
        run.solids.forEach(s => { s.mesh += s.mesh >= STANDARD ? more : 0 })
        data.meshes.push(...run.meshes)
    }
    const most = runs.reduce((n, run) => n + run.rodCount, 0), pointed = runs.reduce((n, run) => n + Math.max(0, ...run.counts), 0)
    const count = data.meshes.map((_, m) => runs.reduce((n, run) => n + run.solids.filter(s => s.mesh === m).length, 0) +
                                            (m === CYLINDER ? most : m === ARROW ? pointed : 0))
    const meshes = data.meshes.map((mesh, m) => upload(gl, p, mesh, count[m]))
    const at = name => gl.getUniformLocation(p, name)
    const uniforms = {view: at('view'), eye: at('eye'), up: at('up'), ground: at('ground'), lines: at('lines'), cell: at('cell')}
    const up = unit(data.up), right = sideways(up), ahead = cross(up, right)
    const size = Math.hypot(x1 - x0, y1 - y0, z1 - z0) || 1, middle = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2]
    const cell = 10 ** Math.round(Math.log10(size / 12))
    const strongest = typical(runs)
    const camera = {}
    let ratio = 1, theme
    const scratch = new Float64Array(12)

    function home() {
        Object.assign(camera, {yaw: -0.9, pitch: 0.42, far: size * 1.45, target: [...middle]})
    }
    function colours() {
        const body = rgb(colour('--body')), paper = rgb(colour('--paper')), ink = rgb(colour('--ink'))
        theme = {
            tints: [0, 1, 2, 3, 4, 5, 6, 7].map(i => mix(rgb(colour(`--c${i}`)), mix(body, [1, 1, 1], 0.3), 0.38)),
            still: mix(paper, ink, 0.3), ground: mix(paper, ink, 0.05), lines: mix(paper, ink, 0.2),
            open: mix(paper, ink, 0.28), stick: rgb(colour('--c2')), slip: rgb(colour('--c1')), arrow: rgb(colour('--c7')), rod: mix(paper, ink, 0.55),
        }
    }
    const away = () => add(add(right.map(v => v * Math.cos(camera.yaw) * Math.cos(camera.pitch)), ahead, Math.sin(camera.yaw) * Math.cos(camera.pitch)), up,
                           Math.sin(camera.pitch))

    function view() { // projection times camera, by columns
        const back = away(), x = unit(cross(up, back)), y = cross(back, x), eye = add(camera.target, back, camera.far)
        const f = 1 / Math.tan(0.32), wide = canvas.width / canvas.height, near = camera.far / 100, far = camera.far + 6 * size
        const a = (far + near) / (near - far), b = 2 * far * near / (near - far), e = [-dot(x, eye), -dot(y, eye), -dot(back, eye)]
        const m = wide > 1 ? [f / wide, f] : [f, f * wide]
        return [eye, new Float32Array([m[0] * x[0], m[1] * y[0], a * back[0], -back[0], m[0] * x[1], m[1] * y[1], a * back[1], -back[1],
                                       m[0] * x[2], m[1] * y[2], a * back[2], -back[2], m[0] * e[0], m[1] * e[1], a * e[2] + b, -e[2]])]
    }

    // One more instance: its axes by columns with lengths, and its place.
    function put(mesh, x, y, z, r, tint, kind) {
        const v = mesh.values, i = STRIDE * mesh.n++
        for (let c = 0; c < 3; c++) {
            v[i + 4 * c] = x[c], v[i + 4 * c + 1] = y[c], v[i + 4 * c + 2] = z[c], v[i + 4 * c + 3] = r[c]
            v[i + 12 + c] = tint[c]
        }
        v[i + 15] = kind
    }
    function put_solid(s, pose, tint) {
        const R = s.R, axis = [0, 1, 2].map(j => [0, 1, 2].map(i => s.scale[j] * (pose[3 + 3 * i] * R[j] + pose[4 + 3 * i] * R[3 + j] + pose[5 + 3 * i] * R[6 + j])))
        const r = [0, 1, 2].map(i => pose[i] + pose[3 + 3 * i] * s.r[0] + pose[4 + 3 * i] * s.r[1] + pose[5 + 3 * i] * s.r[2])
        put(meshes[s.mesh], ...axis, r, tint, kinds[s.mesh] || PLAIN)
    }
    function put_between(mesh, a, b, width, tint, middle) { // along z of the mesh, which begins or has its middle at 0
        const along = add(b, a, -1), z = unit(along), x = sideways(z), y = cross(z, x), w = v => v.map(c => c * width)
        put(mesh, w(x), w(y), along, middle ? add(a, along, 0.5) : a, tint, PLAIN)
    }

    function tint_of(run, r, s, modes, look) {
        if (s.ground)
            return theme.still
        if (look.modes) {
            const mode = modes.get(s.body)
            return mode === 3 ? theme.slip : mode ? theme.stick : theme.open
        }
        return theme.tints[(runs.length > 1 ? r : s.body) % 8]
    }

    function fill(k, part, look) {
        meshes.forEach(m => { m.n = 0 })
        runs.forEach((run, r) => {
            const modes = look.modes ? modes_of(run, k) : null
            let last = -1
            for (const s of run.solids) {
                if (s.body !== last)
                    posed(run, frames, last = s.body, k, part, scratch)
                put_solid(s, scratch, tint_of(run, r, s, modes, look))
            }
            for (let i = 0; i < run.rodCount; i++) {
                const a = 6 * (k * run.rodCount + i), b = part > 0 && k + 1 < frames ? a + 6 * run.rodCount : a
                const end = [0, 1, 2, 3, 4, 5].map(c => run.rods[a + c] + part * (run.rods[b + c] - run.rods[a + c]))
                put_between(meshes[CYLINDER], end.slice(0, 3), end.slice(3), 0.004 * size, theme.rod, true)
            }
            for (let i = 9 * run.from[k]; look.forces && i < 9 * run.from[k + 1]; i += 9) {
                const a = [...run.arrows.subarray(i, i + 3)], f = [...run.arrows.subarray(i + 3, i + 6)]
                const length = 0.3 * size * Math.sqrt(Math.min(Math.hypot(...f) / strongest, 2))
                if (length > 0.004 * size)
                    put_between(meshes[ARROW], a, add(a, unit(f), length), 0.012 * size, run.arrows[i + 6] === 3 ? theme.slip : theme.arrow, false)
            }
        })
    }

    gestures(canvas, {
        drag(dx, dy, second) {
            if (second) {
                const back = away(), x = unit(cross(up, back)), y = cross(back, x), s = 0.64 * camera.far / canvas.clientHeight
                camera.target = add(add(camera.target, x, -dx * s), y, dy * s)
            } else {
                camera.yaw -= 0.008 * dx
                camera.pitch = Math.max(-1.5, Math.min(1.5, camera.pitch + 0.008 * dy))
            }
            redraw()
        },
        zoom(factor) {
            camera.far = Math.max(size / 200, Math.min(20 * size, camera.far * factor))
            redraw()
        },
    })
    home()
    colours()
    return {
        bodies: runs[0].names, forces: pointed > 0, shape: 0.6,
        resize(r) { ratio = r },
        restyle: colours, home,
        zoom(factor) { camera.far = Math.max(size / 200, Math.min(20 * size, camera.far * factor)) },
        paint(k, part, look) {
            if (look.follow >= 0)
                camera.target = [...posed(runs[0], frames, look.follow, k, part, scratch).subarray(0, 3)]
            fill(k, part, look)
            const [eye, matrix] = view()
            gl.viewport(0, 0, canvas.width, canvas.height)
            gl.clearColor(0, 0, 0, 0)
            gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
            gl.enable(gl.DEPTH_TEST)
            gl.enable(gl.BLEND)
            gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
            gl.useProgram(p)
            gl.uniformMatrix4fv(uniforms.view, false, matrix)
            gl.uniform3fv(uniforms.eye, eye)
            gl.uniform3fv(uniforms.up, up)
            gl.uniform3fv(uniforms.ground, theme.ground)
            gl.uniform3fv(uniforms.lines, theme.lines)
            gl.uniform1f(uniforms.cell, cell)
            for (const m of [...meshes].sort((a, b) => (a === meshes[PLANE]) - (b === meshes[PLANE]))) {
                gl.bindVertexArray(m.array)
                gl.bindBuffer(gl.ARRAY_BUFFER, m.buffer)
                gl.bufferSubData(gl.ARRAY_BUFFER, 0, m.values.subarray(0, STRIDE * m.n))
                if (m.n)
                    gl.drawElementsInstanced(gl.TRIANGLES, m.corners, gl.UNSIGNED_SHORT, 0, m.n)
            }
            return ratio
        },
    }
}
