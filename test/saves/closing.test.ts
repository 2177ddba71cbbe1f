import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { documentNames, tempNames } from '../campaigns/kills/directory.js'
import { openedKey, startDocumentServer } from '../campaigns/kills/document-server.js'
import { makeDocument, versionOf } from '../campaigns/kills/documents.js'
import { editedFile, nextSave } from '../campaigns/kills/edited-file.js'
import { startInstance as startProcess } from '../campaigns/kills/instances.js'
import { randomFrom } from '../campaigns/kills/random.js'
import { NEW, startEditing, startInstance } from '../kit/editing.js'
import { isOnS3 } from '../kit/storage.js'
import { deferred, holdTimers } from '../kit/time.js'

t.setTimeout(300_000)

const HALF = NEW.length / 2

/** Sends half of the document; the rest is up to the test. */
function halfway () {
  const asked = deferred<ServerResponse>()
  const serve: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': NEW.length }).write(NEW.slice(0, HALF))
    asked.resolve(response)
  }
  return { serve, asked: asked.promise }
}

t.test('closing the app waits for a save, which is stored and acknowledged', async t => {
  const { serve, asked } = halfway()
  const editing = await startEditing(t, { serve })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  const response = await asked
  const closed = editing.app.close()
  response.end(NEW.slice(HALF))
  t.equal(await answer, 0)
  await closed
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('an answer that is sent while the app closes ends its connection', async t => {
  const { serve, asked } = halfway()
  const editing = await startEditing(t, { profile: 'classic', serve })
  const answer = editing.postCallback(editing.fileId, { key: editing.key, status: 2, url: editing.url })
  const response = await asked
  const closed = editing.app.close()
  response.end(NEW.slice(HALF))
  const { headers, body } = await answer
  t.equal(body, '{"error":0}')
  t.equal(headers.get('connection'), 'close')
  await closed
})

for (const status of [2, 6]) {
  t.test(`closing the app aborts a ${status} that takes too long, and nothing has changed`, async t => {
    const { serve, asked } = halfway()
    const editing = await startEditing(t, { serve, timeouts: { close: 100 } })
    const answer = editing.post({ key: editing.key, status, url: editing.url })
    const response = await asked
    const left = once(response, 'close')
    await editing.app.close()
    t.equal(await answer, 1, 'the answer tells the document server to keep the save')
    await left
    await editing.unchanged(t, 'closed')
  })
}

t.test('closing the app aborts a fetch whose answer has not begun', async t => {
  const asked = deferred<ServerResponse>()
  const signals: AbortSignal[] = []
  const client = undiciClient()
  t.teardown(() => client.close?.())
  const editing = await startEditing(t, {
    serve: (_request, response) => { asked.resolve(response) },
    timeouts: { close: 100 },
    httpClient: {
      async request (request) {
        signals.push(request.signal)
        return await client.request(request)
      }
    }
  })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  const left = once(await asked.promise, 'close')
  await editing.app.close()
  t.equal(await answer, 1, 'the answer tells the document server to keep the save')
  t.same(signals.map(({ aborted }) => aborted), [true])
  await left
  await editing.unchanged(t, 'closed')
})

t.test('closing the app ends a save that waits for another instance, whose save continues', async t => {
  const arrived = deferred()
  const editing = await startEditing(t, { timeouts: { close: 100 }, onCallback: () => arrived.resolve() })
  const { fileId, key, storage: { state } } = editing
  const record = { format: 1, sessions: [], saves: [], lock: { id: 'another-instance.a-save', owner: '0123456789ab~1-1' } }
  const version = await state!.set(fileId, record, null)
  const waiting = editing.post({ key, status: 6, url: editing.url })
  await arrived.promise
  await editing.app.close()
  t.equal(await waiting, 1)
  await editing.unchanged(t, 'closed')
  t.same(await state!.get(fileId), { value: record, version }, 'nobody breaks its lock')
})

t.test('closing the app ends a final save that waits for another instance in time to note that it was refused', async t => {
  const arrived = deferred()
  const failed: unknown[] = []
  const editing = await startEditing(t, { memory: true, timeouts: { close: 100 }, onCallback: () => arrived.resolve(), onSaveFailed: event => { failed.push(event) } })
  const { fileId, key, storage: { state } } = editing
  const lock = { id: 'another-instance.a-save', owner: '0123456789ab~1-1' }
  await state!.set(fileId, { format: 1, sessions: [], saves: [], lock }, null)
  const waiting = editing.post({ key, status: 2, url: editing.url })
  await arrived.promise
  await editing.app.close()
  t.equal(await waiting, 1)
  await editing.unchanged(t, 'closed')
  t.match((await state!.get(fileId))?.value, { sessions: [{ key, state: 'refused' }], saves: [], lock })
  t.match(failed, [{ fileId, key, status: 2 }])
})

t.test('closing the app aborts a fetch that another instance also makes, whose fetch continues', async t => {
  const asked: ServerResponse[] = []
  const both = deferred()
  const editing = await startEditing(t, {
    serve (_request, response) {
      response.writeHead(200, { 'content-length': NEW.length }).write(NEW.slice(0, HALF))
      if (asked.push(response) === 2) both.resolve()
    }
  })
  const second = await startInstance(t, editing, { timeouts: { close: 100 } })
  const answers = [editing, second].map(instance => instance.post({ key: editing.key, status: 6, url: editing.url }))
  await both.promise
  await second.app.close()
  t.equal(await answers[1], 1)
  for (const response of asked) response.end(NEW.slice(HALF))
  t.equal(await answers[0], 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
  t.equal(await editing.openedKey(), editing.key, 'the session goes on')
})

t.test('a save may take longer than Fastify\'s plugin timeout', async t => {
  const pluginTimeout = 200_000
  const timers = holdTimers(t, pluginTimeout)
  const { serve, asked } = halfway()
  const editing = await startEditing(t, { serve, server: { pluginTimeout } })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  const response = await asked
  const closed = editing.app.close()
  timers.pass()
  await Promise.race([closed, delay(500)])
  response.end(NEW.slice(HALF))
  t.equal(await answer, 0)
  await t.resolves(closed)
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('the process exits by itself once the save is stored', {
  skip: isOnS3 && 'This storage has no directory. Processes over it: scripts/cluster-saves.js'
}, async t => {
  const fileId = 'report'
  const directory = join(t.testdir({ uploads: { 'report.docx': makeDocument({ fileId, version: 0 }, 100) } }), 'uploads')
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const service = await startProcess(t, { directory, documentServer: documentServer.origin })
  const file = editedFile(fileId, 'docx')
  file.key = await openedKey(fileId, service.origin)
  t.equal(await documentServer.postOpened(fileId, file.key, service.origin), 0)
  const save = nextSave(file, { status: 2 }, randomFrom(1))
  const [begun, gate] = [deferred(), deferred()]
  documentServer.offer(Object.assign(save, { filetype: 'docx', begun: begun.resolve, pause: gate.promise }))
  const answer = documentServer.post(save, service.origin)
  await begun.promise
  const exited = service.close()
  gate.resolve()
  t.equal(await answer, 0)
  t.equal(await exited, 0)
  t.equal(versionOf(await readFile(join(directory, 'report.docx')), fileId), save.version)
  t.same(await documentNames(directory), ['report.docx'])
  t.same(await tempNames(directory), [])
})
