import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from 'onlyoffice-emulator'
import t from 'tap'
import { deferred } from '../kit/time.js'
import { OLD, startService } from '../kit/sessions.js'
import { powerSwitch, startAfterOutage, textOf, unknownHere, watchedClient } from './outage.js'

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

t.test('an assigned key does not tell which content it was opened with: a document that was deleted and created again is not replaced', async t => {
  const power = powerSwitch()
  const documents: { fileId?: string } = {}
  const { app, documentServer, fileId, stored, storage, forgotten } = await startService(t, {
    prepare: power.prepare,
    recovery: { fileIdOf: key => key === 'assigned' ? documents.fileId : undefined }
  })
  documents.fileId = fileId
  const control = Object.assign(await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId), { documentKey: 'assigned' })
  const session = await documentServer.open(control.config!)
  await session.edit('of the deleted document')
  power.isOn = false
  await session.close()
  power.isOn = true
  await storage.remove!(fileId)
  await writeFile(join(t.testdirName, 'uploads', `${fileId}.txt`), 'created again')
  const [result] = await app.editorServer.recoverForgotten()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await stored(), 'created again')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'of the deleted document')
  t.strictSame(forgotten(), [])
})

t.test('a recovery that waits for another one can be aborted', { timeout: 300_000 }, async t => {
  const { promise: opened, resolve: open } = deferred<void>()
  const { promise: called, resolve: call } = deferred<void>()
  const { recover, app, fileId, storage } = await startAfterOutage(t, 'handed over', { onForgotten: async () => { call(); await opened } })
  await storage.remove!(fileId)
  const first = recover()
  await called
  const controller = new AbortController()
  const reason = new Error('no longer needed')
  const second = app.editorServer.recoverForgotten({ signal: controller.signal })
  controller.abort(reason)
  await t.rejects(Promise.race([second, new Promise(resolve => setTimeout(resolve, 3000))]), reason)
  open()
  t.match(await first, [{ outcome: 'handed-over' }])
  t.strictSame(await recover(), [])
})

t.test('the document was put back before its content is handed over: it is stored', async t => {
  const { httpClient, before } = watchedClient()
  const called: string[] = []
  const { recover, fileId, storage, stored, forgotten } = await startAfterOutage(t, 'edited', {
    httpClient,
    onForgotten: ({ fileId }) => {
      called.push(fileId)
    }
  })
  await storage.remove!(fileId)
  before('file 1', async () => await writeFile(join(t.testdirName, 'uploads', `${fileId}.txt`), 'put back'))
  const [result] = await recover()
  t.match(result, { outcome: 'conflict', kept: false })
  t.strictSame(called, [])
  t.equal(await stored(), 'put back')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'edited')
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
  for (
    const body of [
      '{"error":0}',
      '{"error":0,"url":""}',
      '{"error":0,"url":5}',
      '{"error":0,"url":"file:///etc/passwd"}',
      '{"error":0,"url":"http://169.254.169.254/"}',
      '[]'
    ]
  ) {
    documentServer.fault('command', { type: 'answer', status: 200, body }, { after: 2, times: 1 })
    t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: /^FST_EDITOR_/ } }], body)
  }
  t.strictSame(forgotten(), ['edited'])
  t.match(await recover(), [{ outcome: 'stored' }])
  t.equal(await stored(), 'edited')
})

t.test('without Last-Modified a file replaces nothing that was stored of its session', async t => {
  const { httpClient, hideDates } = watchedClient()
  hideDates()
  const { recover, stored, storage } = await startAfterOutage(t, 'later', { httpClient }, async service => {
    const other = await service.open({ user: { id: 'bob', name: 'Bob' } })
    await other.edit('force-saved')
    t.match(await other.forceSave(), { accepted: true })
    await other.close()
    await service.clock.advance(2000)
  })
  const [result] = await recover()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await stored(), 'force-saved')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'later')
})

t.test('force saves of others have displaced the notes of newer force saves: what these stored is not replaced', async t => {
  let other: Session | undefined
  const { recover, app, fileId, open, stored, documentServer, storage, clock, power } = await startAfterOutage(t, 'forgotten', {}, async service => {
    const control = Object.assign(await service.app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(service.fileId), { documentKey: 'other' })
    other = await service.documentServer.open(control.config!)
  })
  await clock.advance(2000)
  const session = await open()
  await session.edit('continued and force-saved')
  t.match(await session.forceSave(), { accepted: true })
  for (let count = 1; count <= 9; count++) {
    await other!.edit(`of another session ${count}`)
    t.match(await other!.forceSave(), { accepted: true })
  }
  t.equal(await stored(), 'continued and force-saved')
  power.isOn = false
  await documentServer.crash()
  power.isOn = true
  await documentServer.restart({ sessions: 'lost' })
  await app.editorServer.healthcheck().catch(() => {}) // on a connection from before the crash
  const [result] = await recover()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await stored(), 'continued and force-saved')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'forgotten')
  t.ok(await storage.stat(fileId))
})

t.test('a session that was lost and opened again does not build on its conflict copy, which is not replaced', async t => {
  const power = powerSwitch()
  const { app, fileId, documentServer, storage, clock, saved, stored, forgotten } = await startService(t, { prepare: power.prepare })
  const { config } = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)
  const session = await documentServer.open(config!)
  await storage.replace(fileId, Buffer.from('replaced by another program'))
  await session.edit('only in the conflict copy')
  t.match(await session.forceSave(), { accepted: true })
  const { conflictFileId } = saved[0]!
  power.isOn = false
  await documentServer.crash()
  power.isOn = true
  await documentServer.restart({ sessions: 'lost' })
  await app.editorServer.healthcheck().catch(() => {}) // on a connection from before the crash
  await clock.advance(2000)
  const again = await documentServer.open(config!)
  await again.edit('opened again')
  power.isOn = false
  await again.close()
  power.isOn = true
  t.strictSame(forgotten(), ['opened again'])
  const [result] = await app.editorServer.recoverForgotten()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await stored(), 'replaced by another program')
  t.equal(await textOf((await storage.read(conflictFileId!))!.body), 'only in the conflict copy')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'opened again')
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

t.test('the document is deleted while its forgotten file is being fetched: the content is handed over once', async t => {
  for (const missingFile of ['reject', 'acknowledge'] as const) {
    const { httpClient, before } = watchedClient()
    const texts: string[] = []
    const { recover, app, fileId, storage, forgotten } = await startAfterOutage(t, 'edited', {
      httpClient,
      policies: { missingFile },
      async onForgotten ({ content }) {
        texts.push(await textOf(content))
        if (texts.length === 1) await app.editorControl().openDocument(fileId) // rejects as saving does
      }
    })
    before('file 1', async () => await storage.remove!(fileId))
    t.match(await recover(), [{ outcome: 'failed', kept: true, error: { code: 'FST_EDITOR_FILE_NOT_FOUND' } }])
    t.strictSame(texts, ['edited'], 'a failure of the hook is not repeated in the same run')
    t.match(await recover(), [{ outcome: 'handed-over', kept: false }])
    t.strictSame(texts, ['edited', 'edited'])
    t.strictSame(forgotten(), [])
  }
})

t.test('another instance deletes the file before it can be fetched: nothing failed', async t => {
  const { httpClient, before } = watchedClient()
  const { recover, app, lostKey, documentServer } = await startAfterOutage(t, 'edited', { httpClient })
  before('file 1', async () => {
    await app.editorServer.command({ c: 'deleteForgotten', key: lostKey })
    documentServer.fault('file', { type: 'answer', status: 404 }, { times: 1 })
  })
  t.match(await recover(), [{ outcome: 'gone', kept: false }])
})

t.test('another instance deletes the file after it was stored: nothing is kept', async t => {
  const { httpClient, before } = watchedClient()
  const { recover, app, lostKey } = await startAfterOutage(t, 'edited', { httpClient })
  before('file 2', async () => await app.editorServer.command({ c: 'deleteForgotten', key: lostKey }))
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
})

t.test('somebody opens the document while its forgotten file is being fetched: it is left to that session', async t => {
  const { httpClient, before } = watchedClient()
  const { recover, open, stored } = await startAfterOutage(t, 'first', { httpClient })
  let session: Session | undefined
  before('file 1', async () => { session = await open() })
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.equal(await stored(), OLD)
  await session!.close()
  t.equal(await stored(), 'first')
})

t.test('the application closes while onForgotten is called: it waits for the hook, and then deletes the file', async t => {
  const service: { close?: () => Promise<unknown> } = {}
  const order: string[] = []
  let closed: Promise<unknown> | undefined
  const { recover, app, fileId, storage, forgotten } = await startAfterOutage(t, 'edited', {
    async onForgotten ({ content }) {
      closed = service.close!().then(() => order.push('closed'))
      await delay(50)
      order.push(await textOf(content))
    }
  })
  service.close = async () => await app.close()
  await storage.remove!(fileId)
  t.match(await recover(), [{ outcome: 'handed-over', kept: false }])
  await closed
  t.strictSame(order, ['edited', 'closed'])
  t.strictSame(forgotten(), [])
})

t.test('the application closes while onSaved is told of a recovered file: it waits for the hook', async t => {
  const service: { close?: () => Promise<unknown> } = {}
  const order: string[] = []
  let closed: Promise<unknown> | undefined
  const { recover, app, stored } = await startAfterOutage(t, 'edited', {
    async onSaved () {
      closed = service.close!().then(() => order.push('closed'))
      await delay(50)
      order.push('told')
    }
  })
  service.close = async () => await app.close()
  t.match(await recover(), [{ outcome: 'stored' }])
  await closed
  t.strictSame(order, ['told', 'closed'])
  t.equal(await stored(), 'edited')
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
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'second')
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

t.test('the content can be read until onForgotten has finished; before, a dry run says that it can be recovered', async t => {
  let content: AsyncIterable<Uint8Array> | undefined
  const { recover, fileId, storage } = await startAfterOutage(t, 'edited', { onForgotten (event) { ({ content } = event) } })
  await storage.remove!(fileId)
  t.match(await recover(true), [{ outcome: 'recoverable', kept: true }])
  t.match(await recover(), [{ outcome: 'handed-over', kept: false }])
  await t.rejects(textOf(content!))
})
