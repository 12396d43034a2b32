// playground_browser.js PAGE [PICTURES]: the playground in headless Chromium (browser.js), as someone uses it: the first model
// runs by itself; an example, a mistake, a command, a link, a run that is stopped; wide and narrow.
'use strict'
const fs = require('fs'), path = require('path')
const {fault, evaluate, evaluateInFrame, until, open, size, screenshot, asked, main} = require('./browser.js')

const [page, pictures] = process.argv.slice(2), own = 'file://' + fs.realpathSync(page)
const state = () => evaluate(`document.getElementById('state').textContent`)
const text = () => evaluate(`document.getElementById('text').textContent`)
const over = async what => until(async () => /^(done|exit code|failed|stopped)/.test(await state()), `${what} does not end: ${await state()}`, 60)
const set = (id, value) => evaluate(`document.getElementById('${id}').value = ${JSON.stringify(value)}`)
const press = id => evaluate(`document.getElementById('${id}').click()`)
async function run(model, command) {
    if (model !== null)
        await set('model', model)
    await set('command', command)
    await evaluate(`document.getElementById('state').textContent = ''`)
    await press('run')
    await over(command)
}
// The report stands in a frame of its own: its title and what its script says of itself, as '3/3 plots, 1/1 animations'.
const frame = () => evaluateInFrame(`document.querySelector('h1').textContent + ': ' + document.documentElement.dataset.plots + ' plots, ' +
    document.documentElement.dataset.animations + ' animations'`)
async function shows(title) {
    await until(async () => new RegExp(`^${title}: (\\d+)/\\1 plots, 1/1 animations$`).test(await frame().catch(() => '')),
                `the report of ${title} does not draw`, 20)
    if (!/^done/.test(await state()))
        fault(`${title}: ${await state()}, ${await text()}`)
}
const narrow = () => evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)
const shoot = name => pictures && screenshot(path.join(pictures, `playground-${name}.png`))

main(async () => {
    await size(1400, false, true)
    await open(own)
    await over('the first model')
    await shows('bouncing ball')
    await shoot('1400')
    if (await narrow() > 0)
        fault('1400 px: wider than the screen')

    await evaluate(`(s => { s.value = 'Models/woodpecker'; s.dispatchEvent(new Event('change')) })(document.getElementById('examples'))`)
    await over('an example')
    await shows('woodpecker toy')

    const ball = 'carom: 1\ncoordinates: {y: 1}\nkinetic: y\'^2/2\npotential: 2*y\ncontacts: {ground: {gap: y, restitution: 0.5}}\n'
    await run(ball, 'run model.yaml --t-end 1.5 --json') // y = 1/4 at the top of the first bounce
    const result = JSON.parse(await text())
    if (Math.abs(result.q.y - 0.25) > 1e-7 || result.impacts !== 1)
        fault(`the ball: ${JSON.stringify(result.q)}, ${result.impacts} impacts`)
    await run(JSON.stringify({carom: 1, coordinates: {y: 1}, kinetic: "y'^2/2", potential: '2*y',
                              contacts: {ground: {gap: 'y', restitution: 0.5}}}), 'carom run model.yaml --t-end 1.5 --json')
    if (JSON.parse(await text()).q.y !== result.q.y)
        fault('the same model in JSON ends elsewhere')

    await run(ball.replace('restitution', 'restitutoin'), 'report model.yaml')
    const marked = await evaluate(`(m => m.value.slice(m.selectionStart, m.selectionEnd))(document.getElementById('model'))`)
    if (!/^exit code 3/.test(await state()) || !/did you mean 'restitution'/.test(await text()) || !/\^~~/.test(await text()) || marked !== 'restitutoin')
        fault(`a mistake: ${await state()}, '${marked}', ${await text()}`)
    await shoot('mistake')

    await run(ball, 'run model.yaml -o "my motion.csv" --quiet')
    const files = await evaluate(`[...document.querySelectorAll('#files a')].map(a => a.download).join(' ')`)
    if (files !== 'my motion.csv my motion.events.csv')
        fault(`files of a run: '${files}'`)

    await press('link')
    await until(async () => (await evaluate('location.hash')).length > 20, 'no link')
    const link = await evaluate('location.href')
    await open('about:blank')
    await size(400, true, true)
    await open(link)
    await over('a link')
    if (await evaluate(`document.getElementById('model').value`) !== ball || await evaluate(`document.getElementById('command').value`) !== 'run model.yaml -o "my motion.csv" --quiet')
        fault('a link does not bring its model and command')
    await run(null, 'report model.yaml --t-end 4')
    await shoot('400-dark')
    if (await narrow() > 0)
        fault('400 px: wider than the screen')

    await set('command', 'run model.yaml --t-end 1e9 --h 1e-6 --scheme moreau-jean')
    await evaluate(`document.getElementById('state').textContent = ''`)
    await press('run')
    await until(async () => await state() === 'running', 'a long run does not begin')
    await press('stop')
    if (await state() !== 'stopped')
        fault(`stop: ${await state()}`)
    await run(ball, 'version')
    if (!/^done/.test(await state()) || !/^carom /.test(await text()))
        fault(`after a stop: ${await state()}, ${await text()}`)
    asked.filter(url => !url.startsWith(own) && !/^(blob|about|data):/.test(url)).forEach(url => fault(`the page asks for ${url}`))
    console.log(`${path.basename(page)}: ${asked.length} requests`)
})
