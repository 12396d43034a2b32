// browser.js: headless Chromium for tests, by the DevTools protocol over a pipe; needs node and chromium, no packages.
//   const {fault, evaluate, main} = require('./browser.js')
//   main(async () => { await open('page.html'); if (await evaluate('1 + 1') !== 2) fault('two') })
// Prints one line per fault; exit 1 if there was any, 77 where there is no browser. Exceptions and words on the console of
// the page are faults.
'use strict'
const {spawn} = require('child_process')
const fs = require('fs'), os = require('os'), path = require('path')

const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'carom-page-'))
// WebGL without a graphics card is slow: only for pages that need it.
const drawing = process.env.WEBGL === '1' ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-accelerated-2d-canvas']
                                          : ['--disable-gpu']
const flags = ['--headless', '--no-sandbox', ...drawing, '--disable-dev-shm-usage', '--no-first-run', '--mute-audio',
               '--disable-background-networking', '--disable-component-update', '--disable-extensions', '--disable-sync',
               `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank']
const browser = spawn(process.env.CHROMIUM || 'chromium', flags, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']})
const faults = []
const fault = text => { faults.push(text); console.log(`FAIL: ${text}`) }

// ---- the protocol ----
let id = 0, rest = '', session
const waiting = new Map(), listeners = [], asked = [] // what the page has asked for
browser.stdio[4].on('data', chunk => {
    rest += chunk
    const parts = rest.split('\0')
    rest = parts.pop()
    for (const part of parts) {
        const message = JSON.parse(part)
        if (message.id && waiting.has(message.id)) {
            const {resolve, reject, method} = waiting.get(message.id)
            waiting.delete(message.id)
            message.error ? reject(new Error(`${method}: ${message.error.message}`)) : resolve(message.result)
        } else {
            listeners.forEach(f => f(message.method, message.params))
        }
    }
})
browser.stdio[3].on('error', () => {})
function call(method, params = {}, own = session) {
    return new Promise((resolve, reject) => {
        waiting.set(++id, {resolve, reject, method})
        browser.stdio[3].write(JSON.stringify({id, method, params, sessionId: own}) + '\0')
    })
}
async function evaluate(expression, own = session) {
    const {result, exceptionDetails} = await call('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true}, own)
    if (exceptionDetails)
        throw new Error(exceptionDetails.exception?.description || exceptionDetails.text)
    return result.value
}
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

// Waits for what should happen, not for the clock.
async function until(holds, complaint, seconds = 30) {
    for (let i = 0; i < 20 * seconds; i++) {
        if (await holds())
            return
        await sleep(50)
    }
    fault(complaint)
}
async function open(url) {
    const loaded = new Promise(resolve => listeners.push(m => m === 'Page.loadEventFired' && resolve()))
    await call('Page.navigate', {url})
    await loaded
}
// In a frame that has a process of its own; null: there is none.
async function evaluateInFrame(expression) {
    const {targetInfos} = await call('Target.getTargets', {}, undefined), frame = targetInfos.find(t => t.type === 'iframe')
    if (!frame)
        return null
    const {sessionId} = await call('Target.attachToTarget', {targetId: frame.targetId, flatten: true}, undefined)
    try {
        return await evaluate(expression, sessionId)
    } finally {
        await call('Target.detachFromTarget', {sessionId}, undefined)
    }
}
async function size(width, dark, reduced) {
    await call('Emulation.setDeviceMetricsOverride', {width, height: 900, deviceScaleFactor: width < 600 ? 2 : 1, mobile: false})
    await call('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'},
                                                         {name: 'prefers-reduced-motion', value: reduced ? 'reduce' : 'no-preference'}]})
}
async function screenshot(file) {
    const {data} = await call('Page.captureScreenshot', {captureBeyondViewport: true, format: 'png'})
    fs.writeFileSync(file, Buffer.from(data, 'base64'))
}

async function begin() {
    const {targetInfos} = await call('Target.getTargets', {}, undefined)
    const target = targetInfos.find(t => t.type === 'page')
    session = (await call('Target.attachToTarget', {targetId: target.targetId, flatten: true}, undefined)).sessionId
    listeners.push((method, params) => {
        if (method === 'Runtime.exceptionThrown')
            fault(`an exception: ${params.exceptionDetails.exception?.description || params.exceptionDetails.text}`)
        if (method === 'Runtime.consoleAPICalled')
            fault(`on the console: ${params.type} ${params.args.map(a => a.value ?? a.description).join(' ')}`)
        if (method === 'Log.entryAdded' && !/willReadFrequently/.test(params.entry.text)) // that is this program
            fault(`in the log: ${params.entry.level} ${params.entry.text}`)
        if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:'))
            asked.push(params.request.url)
    })
    for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
        await call(`${domain}.enable`)
}

const alarm = setTimeout(() => { fault('the browser does not answer'); finish() }, 570000)
let ending = false
function finish() {
    if (ending)
        return
    ending = true
    clearTimeout(alarm)
    browser.on('exit', () => {
        try {
            fs.rmSync(profile, {recursive: true, force: true, maxRetries: 20, retryDelay: 100})
        } catch (error) { // a straggler of the browser still writes; the system cleans its folder
        }
        process.exit(faults.length ? 1 : 0)
    })
    call('Browser.close', {}, undefined).catch(() => {})
    setTimeout(() => browser.kill('SIGKILL'), 3000)
}
browser.on('error', error => { console.log(`SKIP: chromium does not start: ${error.message}`); process.exit(77) })

const main = work => begin().then(work).catch(error => fault(error.message)).then(finish)
module.exports = {fault, call, evaluate, evaluateInFrame, sleep, until, open, size, screenshot, asked, main}
