// page_browser.js PAGE [PICTURES]: opens a page in headless Chromium (browser.js) at several widths and themes and says what
// is wrong.
//   no request but the page itself, nothing on the console, every plot and animation draws (pixels that are not empty),
//   maps too, with values under the cursor; nothing wider than the screen, no text below 10 pixels, dragging zooms and a key hides its curve; in print and without
//   scripts there are static pictures
'use strict'
const fs = require('fs'), path = require('path')
const {fault, call, evaluate, sleep, until, open, size, screenshot, asked, main} = require('./browser.js')

const [page, pictures] = process.argv.slice(2), own = 'file://' + fs.realpathSync(page)
const expectStatic = process.env.STATIC === '1'

// ---- what is looked at ----
const look = `(async () => {
    const out = {plots: [], animations: [], maps: [], wide: [], small: []}
    const inked = (c, coloured) => { // part of the pixels that are not empty; axes are grey, curves are not
        if (!c || !c.width || !c.height) return 0
        const copy = document.createElement('canvas') // the canvas may be one of WebGL
        copy.width = c.width
        copy.height = c.height
        const to = copy.getContext('2d', {willReadFrequently: true})
        to.drawImage(c, 0, 0)
        const d = to.getImageData(0, 0, c.width, c.height).data
        let n = 0
        for (let i = 0; i < d.length; i += 4)
            n += d[i + 3] > 40 && (!coloured || Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 40)
        return n / (d.length / 4)
    }
    for (const f of document.querySelectorAll('figure.plot')) {
        const name = f.querySelector('figcaption').textContent
        const svg = f.querySelector('.static svg'), c = f.querySelector('.live canvas')
        out.plots.push({name, live: inked(c, true), width: c ? c.clientWidth : 0, curves: svg ? svg.querySelectorAll('path').length : 0,
                        shown: svg ? svg.getBoundingClientRect().width : 0})
    }
    for (const f of document.querySelectorAll('figure.animation'))
        out.animations.push({name: f.querySelector('figcaption').textContent, live: inked(f.querySelector('canvas'))})
    for (const f of document.querySelectorAll('figure.map'))
        out.maps.push({name: f.querySelector('figcaption').textContent, live: inked(f.querySelector('canvas'))})
    const limit = document.documentElement.clientWidth
    for (const e of document.querySelectorAll('body *')) {
        const r = e.getBoundingClientRect()
        if (r.width > 0 && r.right > limit + 1 && !e.closest('pre, .table, .static, .verdict, script'))
            out.wide.push(e.tagName + '.' + e.className + ' ends at ' + Math.round(r.right))
        if (e.children.length === 0 && e.textContent.trim() && r.width > 0 && !e.closest('svg, script, style') &&
            parseFloat(getComputedStyle(e).fontSize) < 10)
            out.small.push(e.tagName + ' ' + getComputedStyle(e).fontSize)
    }
    out.scroll = document.documentElement.scrollWidth - limit
    out.ready = document.documentElement.dataset.plots || ''
    out.played = document.documentElement.dataset.animations || ''
    out.alerts = window.hacked || 0
    return out
})()`

async function drag(selector) {
    await evaluate(`document.querySelector('${selector}').scrollIntoView({block: 'center'})`)
    await sleep(100)
    const r = await evaluate(`(() => { const r = document.querySelector('${selector}').getBoundingClientRect();
        return {x: r.x, y: r.y, w: r.width, h: r.height} })()`)
    const mouse = (type, part, buttons) => call('Input.dispatchMouseEvent', {type, x: r.x + part * r.w, y: r.y + r.h / 2, button: 'left',
                                                                             buttons, clickCount: 1})
    await mouse('mouseMoved', 0.4, 0)
    await mouse('mousePressed', 0.4, 1)
    await mouse('mouseMoved', 0.5, 1)
    await mouse('mouseMoved', 0.6, 1)
    await mouse('mouseReleased', 0.6, 0)
    await sleep(150)
}

// A number that tells two pictures of a canvas apart.
const picture = selector => evaluate(`(s => { const c = document.querySelector(s), copy = document.createElement('canvas')
    copy.width = c.width, copy.height = c.height
    const to = copy.getContext('2d', {willReadFrequently: true})
    to.drawImage(c, 0, 0)
    const x = to.getImageData(0, 0, c.width, c.height).data
    let h = 0; for (let i = 0; i < x.length; i += 1) h = (h * 31 + x[i]) | 0; return h })('${selector}')`)

async function interact() {
    const curve = 'figure.plot .live canvas', before = await picture(curve)
    await drag('figure.plot .u-over')
    await until(async () => await picture(curve) !== before, 'dragging over the first plot does not zoom')
    const place = await evaluate(`document.querySelector('figure.plot .tools span').textContent`)
    if (!/= /.test(place))
        fault(`no value under the cursor: '${place}'`)
    await evaluate(`[...document.querySelectorAll('figure.plot .tools button')].find(b => b.textContent === 'reset').click()`)
    await until(async () => await picture(curve) === before, 'reset does not bring the first plot back')
    if (await evaluate(`!document.querySelector('figure.plot .keys button')`))
        return
    await evaluate(`document.querySelector('figure.plot .keys button').click()`)
    await until(async () => await picture(curve) !== before, 'a key does not hide its curve')
    await evaluate(`document.querySelector('figure.plot .keys button').click()`)
}

// The camera of the first animation: dragging, buttons, following; the last button shows all again.
async function look_around() {
    const canvas = 'figure.animation canvas', before = await picture(canvas)
    const press = title => evaluate(`document.querySelector('figure.animation button[title="${title}"]').click()`)
    await drag(canvas)
    await until(async () => await picture(canvas) !== before, 'dragging over the animation does not move it')
    await press('show all')
    await until(async () => await picture(canvas) === before, 'the button of the animation does not show all again')
    await press('zoom in')
    await until(async () => await picture(canvas) !== before, 'the animation does not zoom')
    await press('show all')
    const choose = (label, value) => evaluate(`(s => { if (!s || ![...s.options].some(o => o.value === '${value}')) return false
        s.value = '${value}'; s.dispatchEvent(new Event('change')); return true })(document.querySelector('figure.animation select[aria-label=${label}]'))`)
    if (await choose('follow', 1) || await choose('follow', 0))
        await until(async () => await picture(canvas) !== before, 'following a body does not move the animation')
    await press('show all')
    for (const box of ['forces', 'colour by contact']) {
        const there = await evaluate(`(b => { if (b) b.click(); return !!b })([...document.querySelectorAll('figure.animation label')]
            .find(l => l.textContent === '${box}')?.firstChild)`)
        if (there) {
            await evaluate(`(s => { s.value = 700; s.dispatchEvent(new Event('input')) })(document.querySelector('figure.animation input[type=range]'))`)
            const shown = await picture(canvas)
            await evaluate(`[...document.querySelectorAll('figure.animation label')].find(l => l.textContent === '${box}').firstChild.click()`)
            await until(async () => await picture(canvas) !== shown, `'${box}' changes nothing`)
        }
    }
}

// The GIF of the first animation, decoded by the browser: its first and its last frame are the pictures of the canvas.
async function record() {
    const slow = process.env.WEBGL === '1'
    const seen = await evaluate(`(async () => {
        const f = document.querySelector('figure.animation'), canvas = f.querySelector('canvas'), rate = f.querySelector('select')
        const slider = f.querySelector('input[type=range]')
        if (${slow}) { // few frames
            rate.value = [...rate.options].map(o => o.value).sort((a, b) => b - a)[0]
            rate.dispatchEvent(new Event('change'))
        }
        const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click
        const [file, name] = await new Promise(resolve => {
            let blob
            URL.createObjectURL = b => { blob = b; return 'data:,' }
            HTMLAnchorElement.prototype.click = function () { resolve([blob, this.download]) }
            f.querySelector('button[title="save the animation as a GIF"]').click()
        })
        URL.createObjectURL = make
        HTMLAnchorElement.prototype.click = click
        const decoder = new ImageDecoder({data: await file.arrayBuffer(), type: 'image/gif'})
        await decoder.tracks.ready
        await decoder.completed
        const frames = decoder.tracks.selectedTrack.frameCount, off = []
        const copy = document.createElement('canvas'), to = copy.getContext('2d', {willReadFrequently: true})
        const pixels = (image, wide, high) => {
            copy.width = wide, copy.height = high
            to.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--paper')
            to.fillRect(0, 0, wide, high)
            to.drawImage(image, 0, 0, wide, high)
            return to.getImageData(0, 0, wide, high).data
        }
        for (const at of [0, 1]) {
            const {image} = await decoder.decode({frameIndex: at * (frames - 1)}), [w, h] = [image.displayWidth, image.displayHeight]
            slider.value = 1000 * at
            slider.dispatchEvent(new Event('input'))
            const a = pixels(image, w, h), b = pixels(canvas, w, h)
            off.push(a.reduce((sum, x, i) => sum + (Math.abs(x - b[i]) > 24), 0) / a.length)
        }
        return {frames, off, name, width: copy.width, bytes: file.size}
    })()`)
    if (!(seen.frames >= (slow ? 2 : 20) && seen.off[0] < 0.002 && seen.off[1] < 0.002 && /^[\p{L}\p{N}-]+\.gif$/u.test(seen.name)))
        fault(`the GIF of the animation: ${JSON.stringify(seen)}`)
}

// Values under the cursor, zoom and back in the first map.
async function look_at_map() {
    const canvas = 'figure.map canvas', before = await picture(canvas)
    const press = title => evaluate(`document.querySelector('figure.map button[title^="${title}"]').click()`)
    await evaluate(`document.querySelector('${canvas}').scrollIntoView({block: 'center'})`)
    const r = await evaluate(`(r => ({x: r.x + r.width / 2, y: r.y + r.height / 2}))(document.querySelector('${canvas}').getBoundingClientRect())`)
    await call('Input.dispatchMouseEvent', {type: 'mouseMoved', ...r})
    await until(async () => /= .*= .*: .* = ./.test(await evaluate(`document.querySelector('figure.map output').textContent`)),
                'no parameters and value under the cursor of the map')
    await press('zoom in')
    await until(async () => await picture(canvas) !== before, 'the map does not zoom')
    await press('show all')
    await until(async () => await picture(canvas) === before, 'reset does not bring the map back')
}

async function visit(width, dark, reduced) {
    const where = `${width} px, ${dark ? 'dark' : 'light'}`
    await size(width, dark, reduced)
    await open(own)
    let seen
    for (let i = 0; i < 600; i++) {
        seen = await evaluate(look)
        const n = seen.plots.length
        if (expectStatic || seen.ready === `${n}/${n}`)
            break
        await sleep(100)
    }
    if (seen.alerts)
        fault(`${where}: a text of the page was run as a script`)
    for (const p of seen.plots) {
        if (p.curves < 3)
            fault(`${where}: the static plot '${p.name}' is empty`)
        if (!expectStatic && (p.live < 0.0003 || p.width < 0.6 * Math.min(width, 500)))
            fault(`${where}: the plot '${p.name}' does not draw (${p.live}, ${p.width} px wide)`)
        if (expectStatic && p.shown < 200)
            fault(`${where}: the static plot '${p.name}' is not shown`)
    }
    for (const a of seen.animations)
        if (a.live < 0.001)
            fault(`${where}: the animation '${a.name}' does not draw`)
    if (seen.animations.length && seen.played !== `${seen.animations.length}/${seen.animations.length}`)
        fault(`${where}: animations ready: ${seen.played}`)
    for (const m of seen.maps)
        if (m.live < 0.3)
            fault(`${where}: the map '${m.name}' does not draw`)
    if (seen.scroll > 0)
        fault(`${where}: the page is ${seen.scroll} px wider than the screen`)
    new Set(seen.wide).forEach(w => fault(`${where}: beyond the edge: ${w}`))
    new Set(seen.small).forEach(s => fault(`${where}: text too small: ${s}`))
    if (pictures)
        await screenshot(path.join(pictures, `${path.basename(page, '.html')}-${width}${dark ? '-dark' : ''}.png`))
    return seen
}

// In print and without scripts the static pictures stand in for the live ones.
async function still(where, media, scripts) {
    await call('Emulation.setDeviceMetricsOverride', {width: 800, height: 900, deviceScaleFactor: 1, mobile: false})
    await call('Emulation.setEmulatedMedia', {media, features: []})
    await call('Emulation.setScriptExecutionDisabled', {value: !scripts})
    await open(own)
    if (scripts && !expectStatic)
        await until(async () => (s => s.ready === `${s.plots.length}/${s.plots.length}`)(await evaluate(look)), `${where}: the plots are not ready`)
    await call('Emulation.setScriptExecutionDisabled', {value: false})
    const hidden = await evaluate(`[...document.querySelectorAll('.static svg, .still svg')].filter(e => e.getBoundingClientRect().width < 20).length`)
    const live = await evaluate(`[...document.querySelectorAll('figure canvas')].filter(e => e.getBoundingClientRect().width > 0).length`)
    if (hidden || live)
        fault(`${where}: ${hidden} static pictures are hidden, ${live} live ones are shown`)
}

main(async () => {
    const seen = await visit(1400, false, true)
    if (!expectStatic && seen.plots.length)
        await interact()
    if (seen.animations.length) {
        await look_around()
        await record()
    }
    if (seen.maps.length)
        await look_at_map()
    await visit(1400, true, true)
    await visit(400, false, true)
    await visit(400, true, false)
    await still('print', 'print', true)
    await still('without scripts', 'screen', false)
    asked.filter(url => url !== own).forEach(url => fault(`the page asks for ${url}`))
    console.log(`${path.basename(page)}: ${seen.plots.length} plots, ${seen.animations.length} animations, ${seen.maps.length} maps, ${asked.length} requests in 6 visits`)
})
