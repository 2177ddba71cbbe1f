// Nobody edits, and the document server knows the key nevertheless: a force save must not wait for anything.
import t from 'tap'
import { startScripted } from '../kit/editing.js'
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

t.test('a key that was closed unchanged has no session, although the document server knows it', async t => {
  const { app, fileId, post, key, commands } = await startScripted(t, async ({ c }) => c === 'forcesave' ? { error: 4 } : { users: [] })
  stoppedTime(t)
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  t.equal(await post({ key, status: 4 }), 0)
  const control = await app.editorControl().openDocument(fileId)
  t.strictSame(await control.forceSave({ timeout }), { saved: false, reason: 'no-session' })
  t.strictSame(commands.map(({ c }) => c), ['forcesave', 'info'])
  t.strictSame(await control.forceSave({ timeout, grace: 0 }), { saved: false, reason: 'no-session' }, 'without the question')
  t.strictSame(commands.map(({ c }) => c), ['forcesave', 'info', 'forcesave'])
})

t.test('when everybody has just left, the command is sent again, until the final save or no session is reported', async t => {
  const answers = [4, 1]
  const { app, fileId, post, key, commands } = await startScripted(t, async ({ c }) => c === 'forcesave' ? { error: answers.shift() } : { users: [] })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  const control = await app.editorControl().openDocument(fileId)
  t.strictSame(await control.forceSave({ timeout, grace: 1 }), { saved: false, reason: 'no-session' })
  t.strictSame(commands.map(({ c }) => c), ['forcesave', 'info', 'forcesave'])
})

t.test('400 calls at once share a command, and those who came after it was sent share the next', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const viewer = await pair.control()
  const call = async () => await viewer.forceSave({ timeout: 20_000 })
  await session.edit('edited')
  const all = Array.from({ length: 400 }, call)
  const revision = async () => (await pair.a.storage.stat(pair.fileId))!.revision
  for (const result of await Promise.all(all)) t.match(result, { saved: true, stored: { fileId: pair.fileId, revision: await revision() } })
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
