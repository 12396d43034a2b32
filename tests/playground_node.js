// playground_node.js PROGRAM FILE ARGUMENTS...: the command of the playground in node, with its own system (wasi.js); FILE is
// model.yaml to it. What it says and its exit code are those of this program; files that it writes are dropped.
'use strict'
const fs = require('fs')
const {runCommand} = require('../web/playground/wasi.js')
const [program, file, ...args] = process.argv.slice(2)
WebAssembly.compile(fs.readFileSync(program))
    .then(module => runCommand(module, ['carom', ...args], new Map([['model.yaml', fs.readFileSync(file)]]),
                               (text, wrong) => fs.writeSync(wrong ? 2 : 1, text)))
    .then(code => { process.exitCode = code })
