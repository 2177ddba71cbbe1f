import { readFile } from 'node:fs/promises'
import t from 'tap'
import { advisories, advisoriesFor, isOlder } from '../../lib/doctor/advisories.js'
import { codes } from '../../lib/doctor/codes.js'

t.test('versions are compared as numbers', async t => {
  for (const [version, than, expected] of [['7.1.1', '7.2.0', true], ['7.2.0.1', '7.2.0', false], ['7.2', '7.2.0', false], ['10.0.0', '9.3.1', false], ['9.3.1', '10.0.0', true], ['8.3', '8.3.2', true]] as const) {
    t.equal(isOlder(version, than), expected, `${version} and ${than}`)
  }
})

t.test('an advisory concerns the versions before its fix; some only document servers without tokens', async t => {
  const ids = (version: string, hasTokens: boolean) => advisoriesFor(version, { hasTokens }).map(({ id }) => id)
  t.strictSame(ids('10.0.0', false), [])
  t.strictSame(ids('9.3.0.140', true), [])
  t.strictSame(ids('9.3.0.140', false), ['CVE-2026-110652'])
  t.strictSame(ids('8.3.1', true), ['CVE-2025-5301'])
  t.equal(ids('5.0.0', false).length, advisories.length)
})

t.test('docs/doctor.md has a row for each code, and no others', async t => {
  const page = await readFile(new URL('../../docs/doctor.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code!)
  const explained = await readFile(new URL('../../lib/doctor/explain-opening.ts', import.meta.url), 'utf8')
  const ofOneDocument = new Set([...explained.matchAll(/'((?:OPENING|CALLBACK)_[A-Z_]+)'/g)].map(([, code]) => code!))
  t.strictSame(documented.sort(), [...Object.keys(codes), ...ofOneDocument].sort())
})
