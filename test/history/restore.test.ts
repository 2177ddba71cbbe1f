import { text } from 'node:stream/consumers'
import t from 'tap'
import { GRACE, OLD, startHistorian } from '../kit/sessions.js'

t.test('restoring makes a version the present one and keeps what was there', async t => {
  const { edit, control, contents, saved, key, fileId } = await startHistorian(t)
  await edit('two')
  await edit('three')
  const keyBefore = await key()
  const restored = await (await control({ user: GRACE })).restore(1)
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'three'], [4, OLD]])
  const { history } = await (await control()).history()
  t.match(history[3], { version: 4, user: GRACE, restored: 1, changes: null })
  t.match(saved.at(-1), { fileId, status: 2, restored: 1, users: ['grace'], stored: { fileId, revision: restored.revision } })
  t.equal(restored.version, 4)
  t.not(await key(), keyBefore, 'the next editor gets a new key')

  await edit('five')
  t.strictSame((await contents()).at(-1), [5, 'five'])
  await t.rejects((await control()).restore(99), { code: 'FST_EDITOR_VERSION_NOT_FOUND' })
  for (const version of [0, -1, 1.5, NaN]) await t.rejects((await control()).restore(version), { code: 'FST_EDITOR_VERSION_NOT_FOUND' })
  for (const version of ['1', '../1', null]) await t.rejects((await control()).restore(version as unknown as number), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('restoring what is stored already stores nothing', async t => {
  const { edit, control, contents, saved, key } = await startHistorian(t)
  await edit('two')
  await edit(OLD)
  const [before, keyBefore, told] = [await contents(), await key(), saved.length]
  for (const version of [1, 3]) t.match(await (await control()).restore(version), { version: 3 })
  t.strictSame(await contents(), before)
  t.equal(await key(), keyBefore)
  t.equal(saved.length, told)
})

t.test('restoring waits until nobody edits, and gives up after its timeout', async t => {
  const { edit, open, control, contents, stored } = await startHistorian(t)
  await edit('two')
  const session = await open()
  await session.edit('unsaved')
  await t.rejects((await control()).restore(1, { timeout: 200 }), { code: 'FST_EDITOR_BEING_EDITED', statusCode: 409, retryable: true })
  await t.rejects((await control()).restore(1, { signal: AbortSignal.abort(new Error('stopped')) }), { message: 'stopped' })
  t.equal(await stored(), 'two')

  const restoring = (await control()).restore(1)
  t.match(await session.close(), { accepted: true })
  await restoring
  t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, 'unsaved'], [4, OLD]], 'the edit is kept as a version')
})

t.test('a session that the document server has lost does not keep a version from being restored', async t => {
  const { edit, open, control, documentServer, contents } = await startHistorian(t)
  await edit('two')
  const session = await open()
  await session.edit('lost')
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  await (await control()).restore(1)
  t.strictSame((await contents()).at(-1), [3, OLD])
})

t.test('a change below a version is restored from a result file of the document server, and from nothing else', async t => {
  const { edit, control, contents, sent, origin, open, documentServer } = await startHistorian(t)
  await edit('two')
  const session = await open()
  await session.edit('three')
  t.match(await session.close(), { accepted: true })
  const { url } = sent(2)[0]!.body as { url: string }
  const opened = await control()
  await opened.restore(2, { result: { url, fileType: 'txt' } })
  t.strictSame((await contents()).at(-1), [4, 'two'])
  for (const elsewhere of [`${documentServer.url}/healthcheck`, `${origin}/secret`, 'http://127.0.0.1:9/cache/files/x', 'http://169.254.169.254/']) {
    await t.rejects(opened.restore(2, { result: { url: elsewhere, fileType: 'txt' } }), { code: 'FST_EDITOR_ADDRESS_BLOCKED' }, elsewhere)
  }
  await t.rejects(opened.restore(2, { result: { url: 'file:///etc/passwd', fileType: 'txt' } }), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.rejects(opened.restore(2, { result: { url, fileType: 'docx' } }), { code: 'FST_EDITOR_UPSTREAM' })
})

for (const inFiles of [true, false]) {
  t.test(`after a refused final save everybody is led to the version that was restored, and the save becomes a copy: ${inFiles ? 'files' : 'memory'}`, async t => {
    let isFull = false
    const { edit, open, control, stored, app, storage, contents } = await startHistorian(t, {
      inFiles,
      storing: storage => ({
        ...storage,
        async stage (fileId, content) {
          if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return await storage.stage(fileId, content)
        }
      })
    })
    await edit('two')
    const session = await open()
    await session.edit('refused')
    isFull = true
    t.match(await session.close(), { status: 2, accepted: false })
    isFull = false
    await (await control()).restore(1)
    const next = await open({ user: GRACE })
    t.not(next.key, session.key)
    t.equal((await next.content()).toString(), OLD)

    const [recovered] = await app.editorServer.recoverForgotten()
    t.match(recovered, { outcome: 'conflict', kept: false })
    t.equal(await text((await storage.read(recovered!.stored!.fileId))!.body), 'refused')
    await next.edit('four')
    t.match(await next.close(), { accepted: true })
    t.equal(await stored(), 'four')
    t.strictSame(await contents(), [[1, OLD], [2, 'two'], [3, OLD], [4, 'four']])
  })
}

t.test('in a hook that a callback waits for, restoring is refused at once', async t => {
  const results: unknown[] = []
  const service = await startHistorian(t, {
    onSaved: async ({ fileId }) => {
      results.push(
        await service.app.editorControl().openDocument(fileId).then(async control => await control.restore(1)).catch(
          error => error.code
        )
      )
    }
  })
  await service.edit('two')
  t.strictSame(results, ['FST_EDITOR_BUSY'])
})
