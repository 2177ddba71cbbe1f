import { readFile } from 'node:fs/promises'
import t from 'tap'
import { diagrams } from '../../scripts/pictures/diagrams/diagrams.js'
import { startBrowser } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test('the diagrams in docs/diagrams show what happens today: npm run diagrams draws them again', async t => {
  for (const [name, draw] of Object.entries(diagrams)) {
    await t.test(name, { skip: name === 'open.svg' && browser.missing }, async t => {
      t.equal(await draw(), await readFile(new URL(`../../docs/diagrams/${name}`, import.meta.url), 'utf8'))
    })
  }
})
