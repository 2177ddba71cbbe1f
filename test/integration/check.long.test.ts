import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { check } from '../../emulator/lib/check/check.js'
import { SECRET } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { freePort } from '../kit/http.js'
import { root } from '../kit/programs.js'
import { storageOf } from '../kit/storage.js'

// What `npx onlyoffice-emulator check` says of an application with this plugin.

const text = ['Check.txt', Buffer.from('first draft')] as const
const docx = ['Check.docx', readFileSync(join(root, 'test/fixtures/documents/report.docx'))] as const
/** What docs/options.md says of the profile. */
const CLASSIC = [
  'force-save-form', 'save-failed', 'used-key', 'token-missing', 'token-wrong-secret', 'token-expired',
  'token-without-signature', 'token-of-other-fields', 'token-of-the-page', 'token-of-a-download',
  'token-of-another-key', 'result-other-origin', 'result-redirected', 'result-of-other-format'
]
const cases: ReadonlyArray<readonly [title: string, document: typeof text | typeof docx, options: HostOptions, failed: readonly string[]]> = [
  ['passes all scenarios with an office document', docx, {}, []],
  ['with the profile classic accepts everybody\'s callbacks', text, { profile: 'classic' }, CLASSIC]
]

t.jobs = 2
t.setTimeout(900_000)

for (const [title, [name, bytes], options, failed] of cases) {
  t.test(`an application with the plugin ${title}`, { buffered: true, timeout: 600_000 }, async t => {
    const port = await freePort()
    const fileIds = new Map<string, string>()
    const { origin } = await startHost(t, {
      documentServerOrigin: `http://127.0.0.1:${port}`,
      ...options,
      storage: (await storageOf(t, join(t.testdir(), 'uploads'))).open(),
      prepare (app) {
        app.get<{ Params: { n: string } }>('/page/:n', async ({ params: { n } }, reply) => {
          const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
          if (!fileIds.has(n)) fileIds.set(n, (await app.editorControl().uploadDocument(bytes, name)).fileId)
          await control.openDocument(fileIds.get(n)!)
          return reply.type('text/html').header('cache-control', 'no-store').send(`<!doctype html>${control.render()}`)
        })
        app.get<{ Params: { n: string } }>('/content/:n', async ({ params: { n } }, reply) =>
          reply.send((await app.editorStorage.read(fileIds.get(n)!))!.body))
      }
    })
    const outcomes = await check({
      configUrl: `${origin}/page/{n}`,
      contentUrl: `${origin}/content/{n}`,
      headers: {},
      secrets: [SECRET],
      server: { port, host: '127.0.0.1' },
      only: []
    })
    t.same(outcomes.filter(({ result }) => result === 'failed').map(({ id }) => id), failed)
    t.ok(outcomes.filter(({ result }) => result === 'passed').length > 50)
  })
}
