import { text } from 'node:stream/consumers'
import t from 'tap'
import { PDF, pending, ready, startConversionService } from '../kit/document-server.js'
import { startHost } from '../kit/host.js'
import { collect, memoryLog } from '../kit/log.js'
import { OLD, startHistorian, startService } from '../kit/sessions.js'
import { startAfterOutage } from '../recovery/outage.js'

t.test('a session has a message when it starts and one when it ends, with how long it lasted', async t => {
  const { open, fileId } = await startService(t)
  const { messages, until } = collect(t, 'session')
  const session = await open()
  t.match(await until(1), [{ event: 'started', fileId, key: session.key }])
  await session.edit('edited')
  t.match(await session.close(), { accepted: true })
  t.match((await until(2))[1], { event: 'ended', fileId, key: session.key, outcome: 'saved', durationMs: Number })
  const unchanged = await open()
  await unchanged.close()
  t.match((await until(4)).slice(2), [{ event: 'started', key: unchanged.key }, {
    event: 'ended',
    key: unchanged.key,
    outcome: 'unchanged',
    durationMs: Number
  }])
  t.strictSame(messages.map(message => 'durationMs' in message), [false, true, false, true])
})

t.test('every conversion has one message: with the size of its result, or why it failed', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  const { fileId } = await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const { messages, until } = collect(t, 'conversion')
  t.strictSame(await control.convertToPdf(), PDF)
  const { body } = await control.convert({ outputType: 'pdf' })
  t.equal(await text(body), PDF.toString())
  await (await host.app.editorServer.convert({ url: 'http://127.0.0.1:9/a.docx', fileType: 'docx', outputType: 'pdf', key: 'key' })).bytes()
  await t.rejects(control.convert({ outputType: 'pdf', signal: AbortSignal.abort() }), { name: 'AbortError' })
  await t.rejects(control.convert({ outputType: 'docx' }), { code: 'FST_EDITOR_CONVERSION_FAILED' })
  await t.rejects(control.convert({ outputType: 'pdf', timeout: -1 }), { code: 'FST_EDITOR_INVALID_OPTION' }, 'no conversion, and no message')
  t.match(await until(5), [
    { fileId, outputType: 'pdf', outcome: 'converted', bytes: PDF.length },
    { fileId, outputType: 'pdf', outcome: 'converted', bytes: PDF.length },
    { outputType: 'pdf', outcome: 'converted', bytes: PDF.length },
    { fileId, outputType: 'pdf', outcome: 'failed', code: 'AbortError' },
    { fileId, outputType: 'docx', outcome: 'failed', code: 'FST_EDITOR_CONVERSION_FAILED' }
  ])
  t.notOk('fileId' in messages[2]!)
  t.notOk('bytes' in messages[3]!)

  const slow = await startConversionService(t, pending)
  const waiting = await startHost(t, { documentServerOrigin: slow.origin })
  const other = waiting.app.editorControl()
  await other.uploadDocument(Buffer.from('content'), 'a.docx')
  await t.rejects(other.convertToPdf({ maxAttempts: 1 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
  const converting = other.convert({ outputType: 'pdf' })
  await Promise.all([t.rejects(converting, { message: 'The application is closing' }), waiting.app.close()])
  t.match((await until(7)).slice(5), [{ outcome: 'failed', code: 'FST_EDITOR_CONVERSION_TIMEOUT' }, { outcome: 'failed', code: 'Error' }])
})

t.test('every force save has one message, besides that of its save', async t => {
  const { app, open, fileId, documentServer } = await startService(t)
  const control = await app.editorControl().openDocument(fileId)
  const [forceSaves, saves] = [collect(t, 'force-save'), collect(t, 'save')]
  t.match(await control.forceSave(), { saved: false, reason: 'no-session' })
  const session = await open()
  await session.edit('edited')
  t.match(await control.forceSave(), { saved: true })
  documentServer.fault('command', { type: 'stall' })
  await t.rejects(control.forceSave({ timeout: 50 }), { code: 'FST_EDITOR_FORCE_SAVE_TIMEOUT' })
  t.match(await forceSaves.until(3), [
    { fileId, key: session.key, outcome: 'no-session' },
    { fileId, key: session.key, outcome: 'saved' },
    { fileId, key: session.key, outcome: 'failed', code: 'FST_EDITOR_FORCE_SAVE_TIMEOUT' }
  ])
  t.match(saves.messages, [{ fileId, key: session.key, status: 6, outcome: 'stored', bytes: 'edited'.length }])
})

t.test('every restored version has one message and one line in the log', async t => {
  const log = memoryLog()
  const { edit, control, fileId } = await startHistorian(t, { server: log.server })
  await edit('two')
  const [restores, saves] = [collect(t, 'restore'), collect(t, 'save')]
  const { revision } = await (await control()).restore(1)
  await t.rejects((await control()).restore(99), { code: 'FST_EDITOR_VERSION_NOT_FOUND' })
  t.match(await restores.until(2), [
    { fileId, version: 1, outcome: 'restored' },
    { fileId, version: 99, outcome: 'failed', code: 'FST_EDITOR_VERSION_NOT_FOUND' }
  ])
  t.strictSame(saves.messages, [], 'it is no save')
  const lines = log.records().filter(({ msg }) => /restored/.test(msg))
  t.match(lines, [{ level: 30, fileId, version: 1, revision, bytes: OLD.length, msg: 'version restored' }])
  t.equal(lines.length, 1)
})

t.test('every forgotten file that is examined has one message and one line in the log, but none with dryRun', async t => {
  const log = memoryLog()
  const { app, recover, lostKey, fileId, storage } = await startAfterOutage(t, 'made before the outage', { server: log.server })
  const [recoveries, saves] = [collect(t, 'recovery'), collect(t, 'save')]
  t.match(await recover(true), [{ outcome: 'recoverable' }])
  t.strictSame(recoveries.messages, [])
  await t.rejects(app.editorServer.recoverForgotten({ signal: AbortSignal.abort() }), { name: 'AbortError' })
  await recover()
  t.match(await recoveries.until(1), [{ fileId, key: lostKey, outcome: 'stored', kept: false }])
  t.notOk('code' in recoveries.messages[0]!)
  t.strictSame(saves.messages, [], 'no callback announced it')
  const lines = log.records().filter(({ level, msg }) => level >= 30 && /forgotten file/.test(msg))
  t.match(lines, [{ level: 30, fileId, key: lostKey, outcome: 'stored', stored: { revision: (await storage.stat(fileId))!.revision } }])
  t.equal(lines.length, 1)
})

t.test('an edit, its save and its download have messages with the same fileId and key', async t => {
  const { open, fileId, key } = await startService(t)
  const [saves, downloads] = [collect(t, 'save'), collect(t, 'download')]
  const session = await open()
  await session.edit('edited')
  await session.close()
  t.match(await saves.until(1), [{ fileId, key: session.key, status: 2, outcome: 'stored', bytes: 'edited'.length }])
  t.match(await downloads.until(1), [{ fileId, outcome: 'sent', httpStatus: 200, bytes: OLD.length }])
  t.not(await key(), session.key)
})
