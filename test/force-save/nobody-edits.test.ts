// Nobody edits, and the document server knows the key nevertheless: a force save must not wait for anything.
import t from 'tap'
import { NEW, startScripted } from '../kit/editing.js'
import { forceSaveAnswers, startPair } from '../kit/sessions.js'
import { stoppedTime } from '../kit/time.js'

/** Long enough for a busy machine, and an end for what would wait for ever. */
const timeout = 5000

t.test('while somebody only views the document there is no session, after one command and without a wait', async t => {
  const pair = await startPair(t)
  stoppedTime(t)
  const viewer = await pair.a.app.editorControl({ mode: 'view' }).openDocument(pair.fileId)
  await pair.documentServer.open(viewer.config!)
  const control = await pair.control()
  t.strictSame(await control.forceSave({ timeout }), { saved: false, reason: 'no-session' })
  t.strictSame(forceSaveAnswers(pair.documentServer), [4])
  t.strictSame(await pair.notes(), [])
})

/** A document server that knows a key for ever: it answers `forcesave` with 4, and posts what it is given for `info`. */
async function startKnowing (t: Parameters<typeof startScripted>[0], presence: object, posted = () => {}) {
  const editing = await startScripted(t, async ({ c }, { post, key }) => {
    if (c === 'forcesave') return { error: 4 }
    await post({ key, ...presence })
    posted()
    return { users: [] }
  })
  return { ...editing, control: await editing.app.editorControl().openDocument(editing.fileId) }
}

for (const lost of ['the 4 has arrived', 'the 4 was lost'] as const) {
  t.test(`of a key that was closed unchanged, the callback of info tells that nothing is unsaved: ${lost}`, async t => {
    const { post, key, control, commands } = await startKnowing(t, { status: 4 })
    stoppedTime(t)
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    if (lost === 'the 4 has arrived') t.equal(await post({ key, status: 4 }), 0)
    t.strictSame(await control.forceSave({ timeout }), { saved: false, reason: 'no-session' })
    t.strictSame(commands.map(({ c }) => c), ['forcesave', 'info'])
  })
}

t.test('unsaved changes that nobody is editing any more: the final save counts, although the status 1 was lost', async t => {
  let asked = () => {}
  const isAsked = new Promise<void>(resolve => { asked = resolve })
  const { post, key, url, control, storage, fileId, storedText } = await startKnowing(t, { status: 1, users: [] }, () => asked())
  const saving = control.forceSave()
  await isAsked
  t.equal(await post({ key, status: 2, url }), 0)
  t.strictSame(await saving, { saved: true, revision: (await storage.stat(fileId))!.revision })
  t.equal(await storedText(fileId), NEW)
})

t.test('400 calls at once share a command, and those who came after it was sent share the next', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const viewer = await pair.control()
  const call = async () => await viewer.forceSave({ timeout: 20_000 })
  await session.edit('edited')
  const all = Array.from({ length: 400 }, call)
  const revision = async () => (await pair.a.storage.stat(pair.fileId))!.revision
  for (const result of await Promise.all(all)) t.match(result, { saved: true, revision: await revision() })
  t.equal(await pair.stored(), 'edited')
  t.ok(forceSaveAnswers(pair.documentServer).length <= 2)

  await session.close()
  const other = await pair.a.app.editorControl({ mode: 'view' }).openDocument(pair.fileId)
  await pair.documentServer.open(other.config!)
  const before = forceSaveAnswers(pair.documentServer).length
  const nothing = Array.from({ length: 400 }, async () => await other.forceSave({ timeout: 20_000 }))
  for (const result of await Promise.all(nothing)) t.strictSame(result, { saved: false, reason: 'no-session' })
  t.equal(forceSaveAnswers(pair.documentServer).length, before + 1)
  t.strictSame(await pair.notes(), [])
})

t.test('a call that comes after the command was sent does not share it: what was edited in between is stored, too', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('one')
  pair.documentServer.fault('command', { type: 'delay', ms: 500 })
  const first = control.forceSave()
  while (forceSaveAnswers(pair.documentServer).length === 0) await new Promise(setImmediate)
  await session.edit('two')
  const second = control.forceSave()
  await pair.clock.advance(500)
  t.match(await second, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.equal(await pair.stored(), 'two')
  t.match(await first, { saved: true })
})

t.test('of those who share a command, one may give up, and the others go on', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const reason = new Error('the user has left')
  const leaving = new AbortController()
  const [givenUp, other] = [control.forceSave({ signal: leaving.signal }), control.forceSave()]
  while (forceSaveAnswers(pair.documentServer).length === 0) await new Promise(setImmediate)
  leaving.abort(reason)
  await t.rejects(givenUp, reason)
  await pair.clock.advance(1000)
  t.match(await other, { saved: true })
  t.equal(forceSaveAnswers(pair.documentServer).length, 1)
})
