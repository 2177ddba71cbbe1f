// Whether a tag may be released: node scripts/check-release.js v0.1.0, or emulator-v0.1.0 for the emulator.
// The version of the package must be that of the tag, and its changelog must have an entry for it with a date.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const [tag = ''] = process.argv.slice(2)
const [, emulator, version] = /^(emulator-)?v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag) ?? []
const folder = emulator ? 'emulator' : '.'
const { name, version: packageVersion } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8')
const entries = changelog.split('\n').filter(line => line.startsWith('## '))

const faults = version === undefined
  ? [`${tag || 'No tag'}: a tag is v1.2.3, or emulator-v1.2.3`]
  : [
      ...(packageVersion === version
        ? []
        : [`${name} has version ${packageVersion} in its package.json, not ${version}`]),
      ...(entries.some(line => line.startsWith(`## [${version}] - `) && /\d{4}-\d\d-\d\d$/.test(line))
        ? []
        : [`The changelog of ${name} has no line "## [${version}] - year-month-day"`])
    ]
console.log(faults.join('\n') || `${name} ${version}`)
process.exitCode = faults.length > 0 ? 1 : 0
