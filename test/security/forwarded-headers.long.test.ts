import t from 'tap'
import { answerWith, freePort, startUpstream } from '../kit/http.js'
import { ADA } from '../kit/host.js'
import { startService } from '../kit/sessions.js'

const FORGED = 'the bytes of a reader'

interface Known {
  /** The document server. */
  readonly own: string
  /** A server of the reader. */
  readonly elsewhere: string
  /** Path and query of a signed file whose bytes the reader has chosen. */
  readonly forged: string
  /** The same of what the session saved before, and of its changes. */
  readonly older: string
  readonly changes: string
}

/** Headers that whoever opens a document last may send. */
const HEADERS: Record<string, (known: Known) => Record<string, string>> = {
  none: () => ({}),
  'another file in the prefix': ({ forged }) => ({ 'X-Forwarded-Prefix': `${forged}&x=` }),
  'another file and a fragment in the host': ({ own, forged }) => ({ 'X-Forwarded-Host': `${own}${forged}#` }),
  'another file in the real host': ({ own, forged }) => ({ Host: `${own}${forged}&x=` }),
  'another server': ({ elsewhere }) => ({ 'X-Forwarded-Host': elsewhere }),
  'another server behind a user': ({ own, elsewhere }) => ({ 'X-Forwarded-Host': `${own}@${elsewhere}` }),
  'an older save and a fragment in the prefix': ({ older }) => ({ 'X-Forwarded-Prefix': `${older}#` }),
  'the changes in the prefix': ({ changes }) => ({ 'X-Forwarded-Prefix': `${changes}&x=` }),
  'a folder of result files in the prefix': () => ({ 'X-Forwarded-Prefix': '/cache/files/data' }),
  'an encoded query in the prefix': ({ forged }) => ({ 'X-Forwarded-Prefix': forged.replace('?', '%3f') }),
  'a long prefix': () => ({ 'X-Forwarded-Prefix': `/${'x'.repeat(6000)}` }),
  'a list of hosts': ({ own, elsewhere }) => ({ 'X-Forwarded-Host': `${elsewhere}, ${own}` }),
  'another protocol': () => ({ 'X-Forwarded-Proto': 'https' })
}

for (const [where, internal] of [['from below editorApiUrl', false], ['from internalUrl', true]] as const) {
  t.test(`whatever headers a reader sends, what an editor has written is stored, fetched ${where}`, async t => {
    const elsewhere = await startUpstream(t, answerWith(FORGED))
    const port = await freePort()
    const { documentServer, app, fileId, open, stored, sent } = await startService(t, {
      emulated: { port },
      ...internal && { documentServerOrigin: 'https://docs.example.com', documentServer: { internalUrl: `http://127.0.0.1:${port}` } }
    })
    const reader = await app.editorControl({ user: { id: 'eve', name: 'Eve' } }).uploadDocument(Buffer.from('x'), 'Mine.txt')
    const own = await documentServer.open(reader.config!)
    await own.edit(FORGED)
    await own.forceSave()
    const pathOf = (field: 'url' | 'changesurl') => {
      const { pathname, search } = new URL(String(sent(6).at(-1)!.body![field]))
      return pathname + search
    }
    const forged = pathOf('url')
    for (const [what, headersOf] of Object.entries(HEADERS)) {
      const session = await open()
      await session.edit(`${what}: saved before`)
      await session.forceSave()
      const headers = headersOf({
        own: new URL(documentServer.url).host,
        elsewhere: new URL(elsewhere.origin).host,
        forged,
        older: pathOf('url'),
        changes: pathOf('changesurl')
      })
      const { config } = await app.editorControl({ user: ADA, mode: 'view' }).openDocument(fileId)
      const viewer = await documentServer.open(config!, undefined, { headers })
      t.equal(viewer.viewOnly, true)
      await viewer.close()
      await session.edit(`${what}: forced`)
      t.match(await session.forceSave(), { status: 6, answer: { error: 0 } }, what)
      t.equal(await stored(), `${what}: forced`)
      await session.edit(`${what}: final`)
      t.match(await session.close(), { status: 2, answer: { error: 0 } }, what)
      t.equal(await stored(), `${what}: final`)
    }
    t.strictSame(elsewhere.requests, [])
  })
}
