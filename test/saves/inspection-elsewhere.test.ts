// The hook `inspect` sees whatever else is stored: forgotten files, earlier versions, uploads and copies.
import { readdir } from 'node:fs/promises'
import { buffer, text } from 'node:stream/consumers'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import t from 'tap'
import { blankDocument, fileStorage, type InspectEvent, type InspectResult, type TemplateFile } from '../../lib/index.js'
import { startHost, startPageHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'
import { startAfterOutage } from '../recovery/outage.js'
import { isOnS3 } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

const REJECTED = { reject: true, message: 'No names' } as const
const REFUSAL = { code: 'FST_EDITOR_REJECTED', message: 'No names' }

/** A hook whose results the test chooses. It remembers what it was told. */
function inspector () {
  const seen: Array<Omit<InspectEvent, 'content' | 'size'> & { readonly text: string }> = []
  const hook = {
    seen,
    result: true as InspectResult | (() => InspectResult | Promise<InspectResult>),
    async inspect ({ content, size, ...event }: InspectEvent): Promise<InspectResult> {
      seen.push({ ...event, text: await text(content) })
      return typeof hook.result === 'function' ? await hook.result() : hook.result
    }
  }
  return hook
}

t.test('a forgotten file that is rejected stays at the document server, until the hook accepts or replaces it', async t => {
  const hook = inspector()
  const { fileId, lostKey, recover, stored, forgotten, open, listing } = await startAfterOutage(t, 'Ada Lovelace', { inspect: hook.inspect })
  const before = await listing()
  hook.result = REJECTED
  t.match(await recover(), [{ fileId, outcome: 'failed', kept: true, error: REFUSAL }])
  t.equal(await stored(), OLD)
  t.strictSame(await listing(), before)
  t.strictSame(hook.seen, [{ reason: 'recovery', fileId, key: lostKey, fileType: 'txt', text: 'Ada Lovelace' }])

  const session = await open()
  await session.edit('A. Lovelace')
  hook.result = true
  t.match(await session.close(), { accepted: true }, 'somebody has removed the name')
  t.equal(await stored(), 'A. Lovelace')
  t.strictSame(forgotten(), [])

  const other = await startAfterOutage(t, 'Grace Hopper', { inspect: hook.inspect })
  hook.result = { replace: Buffer.from('G. Hopper') }
  t.match(await other.recover(), [{ outcome: 'stored', kept: false }])
  t.equal(await other.stored(), 'G. Hopper')
  t.strictSame(other.forgotten(), [], 'what the document server has is recognized')
})

t.test('an earlier version that is rejected is not restored, and a replacement is a version of its own', async t => {
  const hook = inspector()
  const { fileId, edit, control, contents, stored } = await startHistorian(t, { inspect: hook.inspect })
  await edit('two')
  hook.result = REJECTED
  await t.rejects((await control({ user: GRACE })).restore(1), REFUSAL)
  t.match(hook.seen.at(-1), { reason: 'restore', fileId, version: 1, users: ['grace'], fileType: 'txt', text: OLD })
  t.equal(await stored(), 'two')

  const waiting = deferred()
  const aborting = new AbortController()
  hook.result = () => { waiting.resolve(); return new Promise(() => {}) }
  const restoring = (await control()).restore(1, { signal: aborting.signal })
  await waiting.promise
  aborting.abort(new Error('stopped'))
  await t.rejects(restoring, { message: 'stopped' })

  hook.result = { replace: Buffer.from('labelled') }
  await (await control()).restore(1)
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'labelled']])
})

t.test('an upload that is rejected leaves nothing behind; without check it is not inspected', { skip: isOnS3 && 'This storage keeps nothing in files' }, async t => {
  const hook = inspector()
  const directory = t.testdir()
  const { app, storedText } = await startHost(t, { inspect: hook.inspect, storage: fileStorage({ directory }) })
  const files = async () => (await readdir(directory)).filter(name => !name.startsWith('.fast'))
  const upload = async (check = true) =>
    await app.editorControl({ user: GRACE }).uploadDocument(Buffer.from('Grace'), 'Names.TXT', { check })
  hook.result = REJECTED
  await t.rejects(upload(), REFUSAL)
  t.strictSame(hook.seen, [{ reason: 'upload', users: ['grace'], fileType: 'txt', text: 'Grace' }])
  t.strictSame(await files(), [])
  hook.result = { replace: Buffer.from('G.') }
  t.equal(await storedText((await upload()).fileId), 'G.')
  hook.result = true
  t.equal(await storedText((await upload()).fileId), 'Grace')
  t.equal((await files()).length, 2)
  hook.result = REJECTED
  t.equal(await storedText((await upload(false)).fileId), 'Grace')
})

t.test('what is made from a template or a document is inspected, as a document, and leaves nothing behind if it is rejected', { skip: isOnS3 && 'This storage keeps nothing in files' }, async t => {
  const seen: object[] = []
  let result: InspectResult = REJECTED
  const directory = t.testdir()
  const { app, storage, storedText } = await startHost(t, {
    storage: fileStorage({ directory }),
    async inspect ({ content, size, ...event }) {
      seen.push({ ...event, isDocument: !(await buffer(content)).includes('template') })
      return result
    }
  })
  const parts = unzipSync(blankDocument('docx'))
  const types = strFromU8(parts['[Content_Types].xml']!).replace('document.main', 'template.main')
  const template = Buffer.from(zipSync({ ...parts, '[Content_Types].xml': [strToU8(types), { level: 0 }] }))
  const { fileId: stored } = await storage.create('dotx', template)
  const { fileId: letter } = await storage.create('txt', Buffer.from('Ada'))
  const files = async () => (await readdir(directory)).filter(name => !name.startsWith('.fast'))
  const before = await files()
  const users = ['grace']
  const cases: Array<[from: string | TemplateFile, event: object]> = [
    [{ content: template, title: 'Letter.dotx' }, { reason: 'upload', users, fileType: 'docx', isDocument: true }],
    [{ content: Buffer.from('Ada'), title: 'Letter.txt' }, { reason: 'upload', users, fileType: 'txt', isDocument: true }],
    [stored, { reason: 'copy', fileId: stored, users, fileType: 'docx', isDocument: true }],
    [letter, { reason: 'copy', fileId: letter, users, fileType: 'txt', isDocument: true }]
  ]
  for (const [from, event] of cases) {
    const create = async () => await app.editorControl({ user: GRACE }).createDocument({ from })
    seen.length = 0
    result = REJECTED
    await t.rejects(create(), REFUSAL)
    t.strictSame(seen, [event])
    t.strictSame(await files(), before)
  }
  result = { replace: Buffer.from('A.') }
  t.equal(await storedText((await app.editorControl().createDocument({ from: letter })).fileId), 'A.')
})

t.test('a copy that is rejected is not stored, and its user sees the message', async t => {
  const hook = inspector()
  const server = await startUpstream(t, (_request, response) => response.end('Ada Lovelace'))
  const { ask, fileId, storedText } = await startPageHost(t, { inspect: hook.inspect, actions: { saveAs: true }, documentServerOrigin: server.origin })
  const saveAs = async () =>
    await ask('saveAs', { url: `${server.origin}/cache/files/data/x/output.txt`, title: 'Report.docx', fileType: 'txt' })
  hook.result = REJECTED
  t.match(await saveAs(), { status: 422, body: REFUSAL })
  t.strictSame(hook.seen, [{ reason: 'copy', fileId, users: ['ada'], fileType: 'txt', text: 'Ada Lovelace' }])
  hook.result = () => { throw new Error('the password of the scanner') }
  t.match(await saveAs(), { status: 503, body: { code: 'FST_EDITOR_INSPECTION_FAILED', message: /its log says why/i } })
  hook.result = { replace: Buffer.from('A. Lovelace') }
  const { body } = await saveAs()
  t.equal(await storedText(body.fileId), 'A. Lovelace')
})
