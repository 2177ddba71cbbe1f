import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../kit/programs.js'

// npm publishes package.json as it is.

/** npm runs these when it installs a package, from a registry or from git, and warns of them. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare', 'prepublish']

for (const folder of ['.', 'emulator']) {
  const { name, scripts, dependencies } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))

  t.test(`${name} runs no script where it is installed`, async t => {
    t.strictSame(Object.keys(scripts).filter(script => INSTALL_SCRIPTS.includes(script)), [])
  })
  t.test(`${name} is built before it is packed`, async t => {
    t.match(scripts.prepack, 'npm run build')
  })
  t.test(`${name} depends on published versions only`, async t => {
    for (const range of Object.values(dependencies)) t.match(range, /^\^\d/)
  })
}
