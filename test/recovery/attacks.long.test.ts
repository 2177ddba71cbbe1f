import t from 'tap'
import { OLD, startService } from '../kit/sessions.js'
import { startAfterOutage, textOf, unknownHere, watchedClient } from './outage.js'

t.test('recovery.fileIdOf hangs: the run goes on', { timeout: 300_000 }, async t => {
  const service = await startService(t, { recovery: { fileIdOf: () => new Promise<undefined>(() => {}) }, timeouts: { hooks: 100 } })
  const { app, documentServer, forgotten } = service
  const session = await documentServer.open(await unknownHere(service, 'assigned'))
  await session.edit('kept')
  await session.close()
  t.match(await app.editorServer.recoverForgotten(), [{ key: 'assigned', outcome: 'foreign', kept: true }])
  t.strictSame(forgotten(), ['kept'])
})

t.test('an empty document is recovered and deleted like any other', async t => {
  const { recover, stored, forgotten } = await startAfterOutage(t, '')
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), '')
  t.strictSame(forgotten(), [])
})

t.test('the answer to getForgottenList is garbage', async t => {
  const { recover, documentServer, stored } = await startAfterOutage(t, 'edited')
  for (const body of ['{"error":0}', '{"error":0,"keys":"all"}', '{"error":0,"keys":{"0":"a"}}', '{"error":0,"keys":null}']) {
    documentServer.fault('command', { type: 'answer', status: 200, body }, { times: 1 })
    await t.rejects(recover(), { code: 'FST_EDITOR_UPSTREAM' }, body)
  }
  documentServer.fault('command', { type: 'answer', status: 200, body: '{"error":0,"keys":[null,1,{},["a"],""]}' }, { times: 1 })
  t.ok(await recover())
  t.match(await recover(), [{ outcome: 'stored' }])
  t.equal(await stored(), 'edited')
})

t.test('among 20,000 forgotten files of other applications it finds its own', async t => {
  const { recover, documentServer, lostKey, stored } = await startAfterOutage(t, 'edited')
  const keys = [...Array.from({ length: 20_000 }, (_, index) => `${'x'.repeat(90)}${index}`), lostKey]
  documentServer.fault('command', { type: 'answer', status: 200, body: JSON.stringify({ error: 0, keys }) }, { times: 1 })
  const results = await recover()
  t.equal(results.length, keys.length)
  t.match(results.at(-1), { key: lostKey, outcome: 'stored', kept: false })
  t.equal(await stored(), 'edited')
})

t.test('the answer to getForgotten is garbage: the document server keeps the file', async t => {
  const { recover, documentServer, stored, forgotten } = await startAfterOutage(t, 'edited')
  for (const body of [
    '{"error":0}', '{"error":0,"url":""}', '{"error":0,"url":5}', '{"error":0,"url":"file:///etc/passwd"}',
    '{"error":0,"url":"http://169.254.169.254/"}', '[]'
  ]) {
    documentServer.fault('command', { type: 'answer', status: 200, body }, { after: 2, times: 1 })
    t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: /^FST_EDITOR_/ } }], body)
  }
  t.strictSame(forgotten(), ['edited'])
  t.match(await recover(), [{ outcome: 'stored' }])
  t.equal(await stored(), 'edited')
})

t.test('the document server knows the key, but no callback URL: it is left alone', async t => {
  const { recover, documentServer, forgotten } = await startAfterOutage(t, 'edited')
  documentServer.fault('command', { type: 'answer', status: 200, body: '{"error":2}' }, { after: 1, times: 1 })
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame(forgotten(), ['edited'])
})

t.test('what answers is no such file, or too large: the document server keeps it', async t => {
  const { recover, documentServer, stored, forgotten } = await startAfterOutage(t, 'edited', { maxFileSize: 1000 })
  documentServer.fault('file', { type: 'html' }, { times: 1 })
  t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: 'FST_EDITOR_UPSTREAM' } }])
  documentServer.fault('file', { type: 'answer', status: 200, body: 'x'.repeat(1001) }, { times: 1 })
  t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: 'FST_EDITOR_TOO_LARGE' } }])
  documentServer.fault('file', { type: 'reset', afterBytes: 3 }, { times: 1 })
  t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: 'FST_EDITOR_UPSTREAM' } }])
  t.equal(await stored(), OLD)
  t.strictSame(forgotten(), ['edited'])
  // The second request is the one before it is deleted.
  documentServer.fault('file', { type: 'answer', status: 200, body: 'something else' }, { after: 1, times: 1 })
  t.match(await recover(), [{ outcome: 'stored', kept: true }])
  t.strictSame(forgotten(), ['edited'])
  t.match(await recover(), [{ outcome: 'already-stored', kept: false }])
})

t.test('without Last-Modified, two forgotten files of one key are told apart by their content', async t => {
  const { httpClient, before, hideDates } = watchedClient()
  hideDates()
  const { recover, app, documentServer, fileId, forgotten, storage, power } = await startAfterOutage(t, 'first', { httpClient })
  const { config } = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
  before('info 3', async () => {
    const session = await documentServer.open(config!)
    await session.edit('second')
    power.isOn = false
    await session.close()
    power.isOn = true
  })
  t.match(await recover(), [{ outcome: 'stored', kept: true }])
  t.strictSame(forgotten(), ['second'])
  const [result] = await recover()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await textOf((await storage.read(result!.stored!.fileId))!.body), 'second')
})

t.test('what recovery.fileIdOf returns is not trusted to be a fileId', async t => {
  const answers: unknown[] = [null, 5, '', {}, '../secret']
  const service = await startService(t, { recovery: { fileIdOf: () => answers[0] as string } })
  const { app, documentServer } = service
  const session = await documentServer.open(await unknownHere(service, 'assigned'))
  await session.edit('kept')
  await session.close()
  for (; answers.length > 1; answers.shift()) t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'foreign', kept: true }], String(answers[0]))
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: /^(no-document|failed)$/, kept: true }])
})
