import t from 'tap'
import { advisories, advisoriesFor, checkVersion, isOlder, knownVersions } from '../../lib/doctor/check-server.js'
import { codes } from '../../lib/doctor/findings.js'
import { readPage } from '../docs/markdown.js'

t.test('versions are compared as numbers', async t => {
  for (const [version, than, expected] of [
    ['7.1.1', '7.2.0', true],
    ['7.2.0.1', '7.2.0', false],
    ['7.2', '7.2.0', false],
    ['10.0.0', '9.3.1', false],
    ['9.3.1', '10.0.0', true],
    ['8.3', '8.3.2', true]
  ] as const) {
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

t.test('a version that is newer than all that are known is no fault of the document server: what to do is said', async t => {
  for (const version of ['10.1', '10.1.0.5', '10.12.0', '11.0.0']) {
    const findings = checkVersion({ version, hasTokens: true })
    t.match(findings, [{
      code: 'VERSION_NEW',
      status: 'warning',
      evidence: `Version ${version} is newer than 10.0, the newest that this release of fastify-onlyoffice knows.`,
      remedy: /^Update/
    }], version)
    t.notMatch(JSON.stringify(findings), /broken|unsupported|incompatible|fail|vulnerab/i)
  }
})

t.test('what is said about a version is one sentence', async t => {
  for (const version of ['5.0.0', '7.4.0', '9.3.0.140', '10.0.0', '10.1.0', '4.1.2.37', undefined]) {
    for (const { evidence } of checkVersion({ version, hasTokens: false })) t.match(evidence, /^(?!.*\. ).*\.$/)
  }
})

t.test('a build from the source code does not report its version: it is neither old nor known', async t => {
  t.match(checkVersion({ version: '4.1.2.37', hasTokens: true }), [{ code: 'VERSION', status: 'skipped', evidence: 'placeholder' }])
  t.match(checkVersion({ version: '4.1.2.36', hasTokens: true }).map(({ code }) => code), ['VERSION_ADVISORIES', 'VERSION_OLD'])
})

t.test('docs/document-server.md has the versions that the doctor knows', async t => {
  const tables = readPage('docs/document-server.md').tables.filter(({ header }) => header[1]?.text === 'recorded')
  const names = tables.flatMap(({ rows }) => rows.map(({ cells }) => cells[0]!.text)).filter(name => /^[\d.]+$/.test(name))
  t.strictSame(names, knownVersions)
})

t.test('the tables of docs/doctor.md have each code once, and no others', async t => {
  const cells = readPage('docs/doctor.md').tables.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells))
  const documented = cells.flatMap(({ codeSpans }) => codeSpans).filter(text => /^[A-Z_]+$/.test(text))
  t.strictSame(documented.sort(), Object.keys(codes).sort())
})
