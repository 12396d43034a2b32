// page.js: the playground: a model is typed, the command runs on it in a worker, what it has made is shown.
'use strict'
const at = id => document.getElementById(id)
const models = JSON.parse(at('models').textContent)
let module, worker = null, addresses = []

// ---- the program, and links that carry a model ----
const fromBase64 = text => Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0))
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer())

async function toFragment(what) {
    const bytes = await through(new TextEncoder().encode(JSON.stringify(what)), new CompressionStream('deflate-raw'))
    return btoa(Array.from(bytes, b => String.fromCharCode(b)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
async function fromFragment(text) {
    const bytes = await through(fromBase64(text.replace(/-/g, '+').replace(/_/g, '/')), new DecompressionStream('deflate-raw'))
    return JSON.parse(new TextDecoder().decode(bytes))
}

// ---- what is shown ----
function tell(text, wrong) {
    const part = document.createElement('span')
    part.className = wrong ? 'wrong' : ''
    part.textContent = text
    at('text').append(part)
    at('text').hidden = false
}
function clear() {
    at('text').textContent = ''
    at('files').textContent = ''
    at('text').hidden = at('frame').hidden = true
    at('frame').removeAttribute('srcdoc')
    addresses.forEach(address => URL.revokeObjectURL(address))
    addresses = []
}
// An error names its place: model.yaml:3:5; the cursor goes there.
function showPlace() {
    const place = /model\.yaml:(\d+):(\d+)/.exec(at('text').textContent)
    if (!place)
        return
    const lines = at('model').value.split('\n'), line = Math.min(Number(place[1]), lines.length) - 1
    const start = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + Number(place[2]) - 1
    const word = /^[\w']+/.exec(at('model').value.slice(start))
    at('model').focus()
    at('model').setSelectionRange(start, start + (word ? word[0].length : 1))
}
// A report begins with tables: its pictures are wanted first.
const toPictures = '<script>document.querySelector("section:has(figure)")?.scrollIntoView()</' + 'script>'
function showFiles(files) {
    const kinds = {html: 'text/html', svg: 'image/svg+xml', csv: 'text/csv', json: 'application/json', gif: 'image/gif', yaml: 'text/plain'}
    const decode = bytes => new TextDecoder().decode(bytes)
    for (const [name, bytes] of files) {
        const end = name.split('.').pop(), address = URL.createObjectURL(new Blob([bytes], {type: kinds[end] || 'application/octet-stream'}))
        const link = Object.assign(document.createElement('a'), {href: address, download: name, textContent: name})
        addresses.push(address)
        at('files').append(at('files').textContent ? ', ' : 'Files: ', link)
        const shown = end === 'html' ? decode(bytes) + toPictures : end === 'svg' ? decode(bytes).replace(/^<\?xml.*?\?>/, '') :
            end === 'gif' ? `<img src="data:image/gif;base64,${btoa(Array.from(bytes, b => String.fromCharCode(b)).join(''))}" alt="">` : null
        if (shown !== null) {
            at('frame').srcdoc = shown
            at('frame').hidden = false
        }
    }
}

// ---- a run ----
// Words of a command line: blanks part them, quotes of either kind keep blanks.
function words(line) {
    const list = []
    for (const [, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g))
        list.push(double ?? single ?? plain)
    return list[0] === 'carom' ? list : ['carom', ...list]
}
function end(text) {
    worker.terminate()
    worker = null
    at('run').disabled = false
    at('stop').disabled = true
    at('state').textContent = text
}
function run() {
    if (worker || !module)
        return
    const began = performance.now(), seconds = () => `${((performance.now() - began) / 1000).toFixed(2)} s`
    const files = new Map([['model.yaml', new TextEncoder().encode(at('model').value)]])
    clear()
    at('run').disabled = true
    at('stop').disabled = false
    at('state').textContent = 'running'
    worker = new Worker(URL.createObjectURL(new Blob([at('worker').textContent], {type: 'text/javascript'})))
    worker.onmessage = ({data}) => {
        if (data.text !== undefined)
            return tell(data.text, data.wrong)
        if (data.failed)
            tell(`The program has failed: ${data.failed}\n`, true)
        end(data.failed ? 'failed' : `${data.code === 0 ? 'done' : `exit code ${data.code}`} after ${seconds()}`)
        if (data.files) {
            data.files.delete('model.yaml')
            showFiles(data.files)
            if (data.code !== 0)
                showPlace()
        }
    }
    worker.postMessage({module, args: words(at('command').value), files})
}

// ---- the page ----
for (const [group, list] of Object.entries(models)) {
    const box = Object.assign(document.createElement('optgroup'), {label: group})
    for (const name of Object.keys(list))
        box.append(Object.assign(document.createElement('option'), {value: `${group}/${name}`, textContent: name}))
    at('examples').append(box)
}
function take(group, name) {
    at('model').value = models[group][name]
    at('model').scrollTop = 0
}
at('examples').addEventListener('change', () => {
    const [group, name] = at('examples').value.split('/')
    if (!name)
        return
    take(group, name)
    at('command').value = 'report model.yaml'
    run()
})
at('form').addEventListener('submit', event => {
    event.preventDefault()
    run()
})
at('stop').addEventListener('click', () => end('stopped'))
at('model').addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        run()
    }
})
at('link').addEventListener('click', async () => {
    location.hash = await toFragment({model: at('model').value, command: at('command').value})
    await navigator.clipboard?.writeText(location.href).catch(() => {})
    at('state').textContent = 'the address of this page now holds the model'
})
async function fromAddress() {
    if (location.hash.length < 2)
        return false
    try {
        const {model, command} = await fromFragment(location.hash.slice(1))
        at('model').value = String(model)
        at('command').value = String(command)
        return true
    } catch {
        at('state').textContent = 'the link is damaged'
        return false
    }
}
(async () => {
    take('Models', 'bouncing-ball')
    const linked = await fromAddress()
    module = await WebAssembly.compile(await through(fromBase64(at('program').textContent), new DecompressionStream('gzip')))
    document.documentElement.dataset.ready = 'yes'
    if (linked || location.hash.length < 2)
        run()
})()
addEventListener('hashchange', async () => {
    if (await fromAddress())
        run()
})
