import { fakeClock } from 'onlyoffice-emulator'
import t from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { NEW, OLD, startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { startHistorian, startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

t.test('a frozen conflict copy is not replaced by later saves of its session', async t => {
  const saved: SavedEvent[] = []
  let content = packageOf('one')
  const { post, url, key, fileId, app, storedText, storage } = await startEditing(t, {
    serve: (_request, response) => response.end(content),
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await storage.replace(fileId, Buffer.from('of another program'))
  const save = async (minute: number) =>
    await post({ key, status: 6, url: url.replace('_1/', `_${minute}/`), lastsave: `2026-01-01T10:0${minute}:00.000Z`, users: ['u1'] })
  t.equal(await save(1), 0)
  const copyId = saved[0]!.stored.fileId
  await app.editorSessions.freeze(copyId, { reason: 'Legal hold' }).catch(() => {}) // the document server takes no commands here
  content = packageOf('two')
  t.equal(await save(2), 0)
  t.equal(await storedText(copyId), packageOf('one'))
  t.equal(await storedText(saved[1]!.stored.fileId), content, 'nothing is lost')
})

t.test('who opens a refused save again after the freeze does not change the file', async t => {
  const saved: SavedEvent[] = []
  let status = 404
  const { post, url, key, fileId, app, storedText } = await startEditing(t, {
    serve: (_request, response) => response.writeHead(status).end(NEW),
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  t.equal(await post({ key, status: 2, url, lastsave: '2026-01-01T10:00:00.000Z' }), 1)
  await app.editorSessions.freeze(fileId).catch(() => {})
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  status = 200
  t.equal(await post({ key, status: 2, url: url.replace('_1/', '_2/'), lastsave: '2026-01-01T10:05:00.000Z' }), 0)
  t.equal(await storedText(fileId), OLD)
  t.match(saved, [{ conflict: { reason: 'frozen' } }])
  t.equal(await storedText(saved[0]!.stored.fileId), NEW)
})

for (const how of ['was released', 'has expired'] as const) {
  t.test(`freeze: rejects if it ${how} before the sessions had ended`, async t => {
    const fake = fakeClock({ autoAdvance: true })
    let later = 0
    const clock = Object.create(fake, { now: { value: () => fake.now() + later } }) as typeof fake
    const service = await startService(t, {
      clock,
      async onSaved ({ fileId }) {
        if (how === 'was released') await service.app.editorSessions.release(fileId, 'law')
        else later = 60_001
      }
    })
    const { app: { editorSessions }, fileId } = service
    const session = await service.open()
    await session.edit('typed')
    await t.rejects(editorSessions.freeze(fileId, { by: 'law', duration: 60_000 }), { code: 'FST_EDITOR_BUSY' })
    t.strictSame((await editorSessions.get(fileId)).freezes, [])
    t.equal(await service.stored(), 'typed')
  })
}

t.test('freeze: a version that was about to be restored is not restored any more', async t => {
  const [publishing, proceed] = [deferred(), deferred()]
  let isSlow = false
  const { app, edit, control, fileId, stored } = await startHistorian(t, {
    inFiles: true,
    storing: storage => ({
      ...storage,
      async commit (...args) {
        if (isSlow) {
          publishing.resolve()
          await proceed.promise
        }
        return await storage.commit(...args)
      }
    })
  })
  await edit('two')
  isSlow = true
  const restored = (await control()).restore(1)
  restored.catch(() => {})
  await publishing.promise
  await app.editorSessions.freeze(fileId)
  proceed.resolve()
  await t.rejects(restored, { code: 'FST_EDITOR_LOCKED' })
  t.equal(await stored(), 'two')
})
