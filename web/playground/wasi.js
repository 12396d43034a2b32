// wasi.js: the system that the command meets in a browser: files in memory, text that is told as it comes.
// runCommand(module, ['carom', 'run', ...], files, tell) runs it to its end; `files` is a Map of names to Uint8Array and
// has what was written afterwards; tell(text, wrong) hears standard output and, with wrong = true, standard error.
'use strict'

const E = {OK: 0, BADF: 8, EXIST: 20, INVAL: 28, ISDIR: 31, NOENT: 44, SPIPE: 70}
const FOLDER = 3, REGULAR = 4
const CREATE = 1, MUST_BE_FOLDER = 2, EXCLUSIVE = 4, TRUNCATE = 8, APPEND = 1

class Exit extends Error {
    constructor(code) {
        super(`exit ${code}`)
        this.code = code
    }
}

class File {
    static count = 0
    constructor(bytes = new Uint8Array(0)) {
        this.bytes = bytes
        this.size = bytes.length
        this.number = ++File.count
    }
    resize(size) {
        if (size > this.bytes.length) {
            const more = new Uint8Array(Math.max(size, 2 * this.bytes.length, 4096))
            more.set(this.bytes.subarray(0, this.size))
            this.bytes = more
        }
        if (size < this.size)
            this.bytes.fill(0, size, this.size)
        this.size = size
    }
    read(to, at) {
        const part = this.bytes.subarray(at, Math.min(this.size, at + to.length))
        to.set(part)
        return part.length
    }
    write(from, at) {
        if (at + from.length > this.size)
            this.resize(at + from.length)
        this.bytes.set(from, at)
    }
    content() {
        return this.bytes.slice(0, this.size)
    }
}

class Speaker { // standard output or error: text, whatever pieces its characters come in
    constructor(tell) {
        this.decoder = new TextDecoder()
        this.tell = tell
    }
    write(from) {
        const text = this.decoder.decode(from.slice(), {stream: true})
        if (text)
            this.tell(text)
    }
}

function makeSystem(args, names, tell) {
    const words = list => list.map(word => new TextEncoder().encode(word + '\0'))
    const given = words(args), tree = new Map([...names].map(([name, bytes]) => [name, new File(bytes)])), folders = new Set([''])
    const open = new Map([[0, {file: new File(), at: 0}], [1, {speaker: new Speaker(text => tell(text, false))}],
                          [2, {speaker: new Speaker(text => tell(text, true))}], [3, {folder: ''}]])
    let memory, next = 4
    const view = () => new DataView(memory.buffer), bytes = (at, n) => new Uint8Array(memory.buffer, at, n)
    const path = (at, n) => new TextDecoder().decode(bytes(at, n).slice()).replace(/^(\.?\/)+/, '').replace(/^\.$/, '').replace(/\/+$/, '')
    const known = name => tree.has(name) || folders.has(name)

    function list(all, pointers, buffer) {
        for (const word of all) {
            view().setUint32(pointers, buffer, true)
            bytes(buffer, word.length).set(word)
            pointers += 4
            buffer += word.length
        }
        return E.OK
    }
    function sizes(all, count, size) {
        view().setUint32(count, all.length, true)
        view().setUint32(size, all.reduce((sum, word) => sum + word.length, 0), true)
        return E.OK
    }
    function stat(to, file, folder) {
        bytes(to, 64).fill(0)
        view().setBigUint64(to + 8, BigInt(file ? file.number : 1), true)
        view().setUint8(to + 16, folder ? FOLDER : REGULAR)
        view().setBigUint64(to + 24, 1n, true)
        view().setBigUint64(to + 32, BigInt(file ? file.size : 0), true)
        return E.OK
    }
    function pieces(vector, n, each) { // of a read or a write: until one is not filled
        let sum = 0
        for (let i = 0; i < n; i++) {
            const length = view().getUint32(vector + 8 * i + 4, true), did = each(bytes(view().getUint32(vector + 8 * i, true), length))
            sum += did
            if (did < length)
                break
        }
        return sum
    }
    const withFile = call => (fd, ...rest) => {
        const o = open.get(fd)
        return !o ? E.BADF : o.file ? call(o, ...rest) : o.speaker ? E.SPIPE : E.ISDIR
    }
    const put = (to, n) => (view().setUint32(to, n, true), E.OK)

    const calls = {
        args_sizes_get: (count, size) => sizes(given, count, size),
        args_get: (pointers, buffer) => list(given, pointers, buffer),
        environ_sizes_get: (count, size) => sizes([], count, size),
        environ_get: () => E.OK,
        clock_time_get(clock, precision, to) {
            const ms = clock === 0 ? Date.now() : performance.now()
            view().setBigUint64(to, BigInt(Math.round(1e6 * ms)), true)
            return E.OK
        },
        proc_exit(code) {
            throw new Exit(code)
        },
        fd_prestat_get(fd, to) {
            if (fd !== 3)
                return E.BADF
            view().setUint32(to, 0, true)
            return put(to + 4, 1)
        },
        fd_prestat_dir_name: (fd, to) => (bytes(to, 1)[0] = 47, E.OK), // "/"
        fd_fdstat_get(fd, to) {
            const o = open.get(fd)
            if (!o)
                return E.BADF
            bytes(to, 24).fill(0)
            view().setUint8(to, o.folder === undefined ? REGULAR : FOLDER)
            bytes(to + 8, 16).fill(255) // may do everything
            return E.OK
        },
        fd_fdstat_set_flags: () => E.OK,
        fd_filestat_get(fd, to) {
            const o = open.get(fd)
            return o ? stat(to, o.file, o.folder !== undefined) : E.BADF
        },
        fd_filestat_set_size: withFile((o, size) => (o.file.resize(Number(size)), E.OK)),
        fd_close: fd => open.delete(fd) ? E.OK : E.BADF,
        fd_sync: () => E.OK,
        fd_tell: withFile((o, to) => (view().setBigUint64(to, BigInt(o.at), true), E.OK)),
        fd_seek: withFile((o, offset, whence, to) => {
            const at = Number(offset) + [0, o.at, o.file.size][whence]
            if (!(at >= 0))
                return E.INVAL
            o.at = at
            view().setBigUint64(to, BigInt(at), true)
            return E.OK
        }),
        fd_read: withFile((o, vector, n, to) => put(to, pieces(vector, n, piece => {
            const did = o.file.read(piece, o.at)
            o.at += did
            return did
        }))),
        fd_pread: withFile((o, vector, n, offset, to) => {
            let at = Number(offset)
            return put(to, pieces(vector, n, piece => {
                const did = o.file.read(piece, at)
                at += did
                return did
            }))
        }),
        fd_write(fd, vector, n, to) {
            const o = open.get(fd)
            if (!o || o.folder !== undefined)
                return E.BADF
            return put(to, pieces(vector, n, piece => {
                if (o.speaker) {
                    o.speaker.write(piece)
                } else {
                    o.at = o.append ? o.file.size : o.at
                    o.file.write(piece, o.at)
                    o.at += piece.length
                }
                return piece.length
            }))
        },
        fd_readdir: (fd, buffer, size, cookie, to) => put(to, 0), // nobody looks for what is there
        path_create_directory: (fd, at, n) => {
            const name = path(at, n)
            return known(name) ? E.EXIST : (folders.add(name), E.OK)
        },
        path_remove_directory: (fd, at, n) => folders.delete(path(at, n)) ? E.OK : E.NOENT,
        path_unlink_file: (fd, at, n) => tree.delete(path(at, n)) ? E.OK : E.NOENT,
        path_filestat_get(fd, flags, at, n, to) {
            const name = path(at, n)
            return known(name) ? stat(to, tree.get(name), folders.has(name)) : E.NOENT
        },
        path_rename(fd, at, n, other, to, m) {
            const from = path(at, n), file = tree.get(from)
            if (!file)
                return E.NOENT
            tree.delete(from)
            tree.set(path(to, m), file)
            return E.OK
        },
        path_open(fd, lookup, at, n, how, rights, inheriting, flags, to) {
            const name = path(at, n), folder = folders.has(name)
            if (folder || how & MUST_BE_FOLDER) {
                if (!folder)
                    return E.NOENT
                open.set(next, {folder: name})
                return put(to, next++)
            }
            if (!tree.has(name) && !(how & CREATE))
                return E.NOENT
            if (tree.has(name) && how & EXCLUSIVE)
                return E.EXIST
            if (!tree.has(name))
                tree.set(name, new File())
            const file = tree.get(name)
            if (how & TRUNCATE)
                file.resize(0)
            open.set(next, {file, at: 0, append: (flags & APPEND) !== 0})
            return put(to, next++)
        },
    }
    return {calls, use: m => { memory = m }, tree}
}

async function runCommand(module, args, files, tell) {
    const system = makeSystem(args, files, tell)
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system.calls})
    let code = 0
    system.use(instance.exports.memory)
    try {
        instance.exports._start()
    } catch (error) {
        if (!(error instanceof Exit))
            throw error
        code = error.code
    }
    files.clear()
    for (const [name, file] of system.tree)
        files.set(name, file.content())
    return code
}

// In a worker: {module, args, files} in; {text, wrong} as it comes, then {code, files} or {failed} out.
if (typeof WorkerGlobalScope !== 'undefined')
    onmessage = async ({data: {module, args, files}}) => {
        try {
            const code = await runCommand(module, args, files, (text, wrong) => postMessage({text, wrong}))
            postMessage({code, files})
        } catch (error) {
            postMessage({failed: String(error)})
        }
    }
if (typeof exports !== 'undefined')
    exports.runCommand = runCommand
