// page.js: what runs in a page: plots by uPlot, animations, buttons that copy a command.
import './animation.js'
import './map.js'
import './plots.js'

for (const box of document.querySelectorAll('.command')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'copy'
    button.addEventListener('click', () => {
        const range = document.createRange()
        range.selectNodeContents(box.querySelector('pre'))
        const selection = getSelection()
        selection.removeAllRanges()
        selection.addRange(range)
        button.textContent = document.execCommand('copy') ? 'copied' : 'press Ctrl-C'
        setTimeout(() => { button.textContent = 'copy' }, 1500)
    })
    box.append(button)
}
