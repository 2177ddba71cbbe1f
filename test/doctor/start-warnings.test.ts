import t from 'tap'
import type { FastifyOnlyofficeOptions } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { memoryLog, WARN } from '../kit/log.js'
import { SECRET } from '../kit/document-server.js'

const API = '/web-apps/apps/api/documents/api.js'

/** What the log says at start about a set-up; nothing is requested. */
async function warningsOf (t: import('tap').Test, options: Partial<FastifyOnlyofficeOptions>): Promise<string[]> {
  const log = memoryLog()
  await startHost(t, { ...options, server: log.server })
  t.notOk(log.text().includes(SECRET), 'no secret')
  return log.records().filter(({ level }) => level >= WARN).map(({ msg }) => msg)
}

const wrong: ReadonlyArray<readonly [title: string, options: Partial<FastifyOnlyofficeOptions>, expected: readonly RegExp[]]> = [
  ['localhost in publicBaseUrl, the document server is elsewhere',
    { editorApiUrl: `https://docs.example.com${API}`, publicBaseUrl: 'http://localhost:3000' },
    [/publicBaseUrl is http:\/\/localhost:3000, .* docs\.example\.com\. Set publicBaseUrl to .*https:\/\/app\.example\.com/]],
  ['127.0.0.1 in publicBaseUrl, the document server is in a container',
    { editorApiUrl: `http://localhost:8080${API}`, publicBaseUrl: 'http://127.0.0.1:3000', documentServer: { internalUrl: 'http://documentserver' } },
    [/publicBaseUrl is http:\/\/127\.0\.0\.1:3000, .* documentserver\..*host\.docker\.internal/]],
  ['a private IP address in publicBaseUrl, a public one of the document server',
    { editorApiUrl: `https://8.8.8.8${API}`, publicBaseUrl: 'https://10.1.2.3' },
    [/private IP address/]],
  ['editorApiUrl without the path of api.js',
    { editorApiUrl: 'https://docs.example.com/', publicBaseUrl: 'https://app.example.com' },
    [new RegExp(`editorApiUrl is https://docs\\.example\\.com\\. .* https://docs\\.example\\.com${API}`)]],
  ['https pages, and an http document server',
    { editorApiUrl: `http://docs.example.com${API}`, publicBaseUrl: 'https://app.example.com' },
    [/browsers do not load it into an https page\. .*https:\/\/docs\.example\.com/]],
  ['quotation marks around the secret, as docker --env-file keeps them',
    { jwtSecret: `"${SECRET}"` },
    [/jwtSecret begins and ends with the same quotation mark.* Remove the marks/]]
]

for (const [title, options, expected] of wrong) {
  t.test(`a warning at start: ${title}`, async t => {
    const warnings = await warningsOf(t, options)
    t.equal(warnings.length, expected.length, 'once each', { warnings })
    expected.forEach((pattern, index) => t.match(warnings[index] ?? '', pattern))
  })
}

const usual: Readonly<Record<string, Partial<FastifyOnlyofficeOptions>>> = {
  'all on one machine': { editorApiUrl: `http://127.0.0.1:8080${API}`, publicBaseUrl: 'http://127.0.0.1:3000' },
  'a document server in a container on this machine': {
    editorApiUrl: `http://localhost:8080${API}`,
    publicBaseUrl: 'http://host.docker.internal:3000'
  },
  'an https application, the document server on the developer\'s machine': {
    editorApiUrl: `http://localhost:8080${API}`,
    publicBaseUrl: 'https://app.example.com'
  },
}

for (const [title, options] of Object.entries(usual)) {
  t.test(`no warning at start: ${title}`, async t => {
    t.strictSame(await warningsOf(t, options), [])
  })
}
