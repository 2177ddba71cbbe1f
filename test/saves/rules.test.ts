import { readFile } from 'node:fs/promises'
import t from 'tap'
import { EARLY_RULES, RULES } from '../../lib/save/rules.js'

t.test('docs/saves.md has the rules as they are in the code', async t => {
  const page = await readFile(new URL('../../docs/saves.md', import.meta.url), 'utf8')
  const rows = [...EARLY_RULES, ...RULES].map(({ name, says, outcome }) => `| \`${name}\` | ${says} | ${outcome} |`)
  t.ok(page.includes(`\n${rows.join('\n')}\n`), rows.join('\n'))
})
