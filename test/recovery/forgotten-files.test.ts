import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { documentKeys } from '../../lib/document-server/document-key.js'
import { fileStorage, type ForgottenFileEvent, type Storage } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { OLD, startService } from '../kit/sessions.js'
import { profiles } from '../kit/editing.js'
import { HANDLER, startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { powerSwitch, startAfterOutage, textOf, unknownHere, watchedClient } from './outage.js'

for (const profile of profiles) {
  t.test(`an edit whose save came while the application was down is stored, and deleted at the document server (${profile})`, async t => {
    const { recover, lostKey, fileId, stored, forgotten, saved, key, storage } = await startAfterOutage(t, 'made before the outage', { profile })
    const results = await recover()
    const { revision } = (await storage.stat(fileId))!
    t.strictSame(results, [{ key: lostKey, fileId, outcome: 'stored', revision, kept: false }])
    t.equal(await stored(), 'made before the outage')
    t.strictSame(forgotten(), [])
    t.match(saved, [{ fileId, status: 2, key: lostKey, revision, recovered: true }], 'onSaved was called once')
    t.not(await key(), lostKey, 'the next editor gets a new key')
    t.strictSame(await recover(), [], 'nothing is left to do')
  })

  t.test(`the document was replaced after the outage: both contents are kept (${profile})`, async t => {
    const { recover, fileId, stored, forgotten, storage, listing } = await startAfterOutage(t, 'made before the outage', { profile })
    await storage.replace(fileId, Buffer.from('replaced by another program'))
    const [result] = await recover()
    t.match(result, { fileId, outcome: 'conflict', kept: false })
    t.equal(await stored(), 'replaced by another program')
    const copy = await storage.read(result!.conflictFileId!)
    t.equal(await textOf(copy!.body), 'made before the outage')
    t.strictSame(forgotten(), [])
    t.equal((await listing()).length, 2)
    t.strictSame(await recover(), [])
  })

  t.test(`the document was deleted after the outage: its content goes to onForgotten, and the document stays deleted (${profile})`, async t => {
    const events: Array<Omit<ForgottenFileEvent, 'content'> & { readonly text: string }> = []
    const onForgotten = async ({ content, ...event }: ForgottenFileEvent) => { events.push({ ...event, text: await textOf(content) }) }
    const { recover, lostKey, fileId, forgotten, storage } = await startAfterOutage(t, 'made before the outage', { profile, onForgotten })
    await storage.remove!(fileId)
    t.match(await recover(), [{ fileId, outcome: 'handed-over', kept: false }])
    t.match(events, [{ key: lostKey, fileId, extension: 'txt', size: 22, writtenAt: Date, text: 'made before the outage' }])
    t.strictSame(forgotten(), [])
    t.equal(await storage.stat(fileId), null)
  })
}

t.test('without onForgotten, the content of a deleted document stays at the document server', async t => {
  const { recover, fileId, forgotten, storage } = await startAfterOutage(t, 'kept')
  await storage.remove!(fileId)
  t.match(await recover(true), [{ outcome: 'no-document', kept: true }])
  t.match(await recover(), [{ fileId, outcome: 'no-document', kept: true }])
  t.strictSame(forgotten(), ['kept'])
})

t.test('if onForgotten fails or hangs, the document server keeps the content', async t => {
  for (const onForgotten of [async () => { throw new Error('the archive is full') }, () => new Promise<void>(() => {})]) {
    const { recover, forgotten, storage, fileId } = await startAfterOutage(t, 'kept', { onForgotten, timeouts: { hooks: 100 } })
    await storage.remove!(fileId)
    t.match(await recover(), [{ outcome: 'failed', kept: true, error: Error }])
    t.strictSame(forgotten(), ['kept'])
  }
})

t.test('a dry run stores and deletes nothing', async t => {
  const { recover, lostKey, fileId, stored, forgotten } = await startAfterOutage(t, 'still there')
  t.strictSame(await recover(true), [{ key: lostKey, fileId, outcome: 'recoverable', kept: true }])
  t.equal(await stored(), OLD)
  t.strictSame(forgotten(), ['still there'])
})

t.test('users have the forgotten file open again: it is left to their session', async t => {
  const { recover, open, stored, forgotten } = await startAfterOutage(t, 'seen again')
  const session = await open()
  t.match(await session.nextEvent('joined'), { hasForgotten: true })
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'seen again')
  t.strictSame(forgotten(), [])
  t.strictSame(await recover(), [])
})

t.test('force saves before the outage are older than the forgotten file, which replaces them', async t => {
  const { recover, stored } = await startAfterOutage(t, 'after the force save', {}, async service => {
    const other = await service.open({ user: { id: 'bob', name: 'Bob' } })
    await other.edit('force-saved')
    t.match(await other.forceSave(), { accepted: true })
    await other.close()
    await service.clock.advance(2000)
  })
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'after the force save')
})

t.test('force saves before the outage, and the document was replaced after it: both contents are kept', async t => {
  const { recover, stored, storage, fileId } = await startAfterOutage(t, 'after the force save', {}, async service => {
    const other = await service.open({ user: { id: 'bob', name: 'Bob' } })
    await other.edit('force-saved')
    t.match(await other.forceSave(), { accepted: true })
    await other.close()
    await service.clock.advance(2000)
  })
  await storage.replace(fileId, Buffer.from('replaced by another program'))
  const [result] = await recover()
  t.match(result, { outcome: 'conflict', kept: false })
  t.equal(await stored(), 'replaced by another program')
  t.equal(await textOf((await storage.read(result!.conflictFileId!))!.body), 'after the force save')
})

t.test('a force save of a session that continued the forgotten file is newer: it is not replaced', async t => {
  const { app, recover, open, stored, documentServer, storage, clock, power } = await startAfterOutage(t, 'forgotten')
  await clock.advance(2000)
  const session = await open()
  await session.edit('continued and force-saved')
  t.match(await session.forceSave(), { accepted: true })
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
})

t.test('a save that the application refused is recovered as well', async t => {
  const { disk, storing } = fullDisk()
  const { app, open, stored, forgotten, key, saved } = await startService(t, { storing })
  const session = await open()
  await session.edit('refused at first')
  t.match(await session.close(), { status: 2, accepted: false })
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'failed', kept: true, error: { code: 'ENOSPC' } }])
  t.strictSame(forgotten(), ['refused at first'])
  disk.isFull = false
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'refused at first')
  t.strictSame(forgotten(), [])
  t.not(await key(), session.key)
  t.equal(saved.length, 1)
})

t.test('a refused save is opened, edited and refused again while the first one is fetched: the first one is not stored', async t => {
  const { disk, storing } = fullDisk()
  const { httpClient, before } = watchedClient()
  const { app, clock, open, stored, forgotten, key } = await startService(t, { storing, httpClient })
  const edit = async (text: string) => {
    const session = await open()
    await session.edit(text)
    t.match(await session.close(), { accepted: false })
    return session.key
  }
  const refused = await edit('first')
  before('info 2', async () => {
    clock.jump(1000)
    t.equal(await edit('second'), refused)
    disk.isFull = false
  })
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame([await stored(), forgotten(), await key()], [OLD, ['second'], refused])
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'second')
})

t.test('a session of which no record is left is refused again while its first save is fetched: the first one is not stored', async t => {
  const { disk, storing } = fullDisk()
  const { httpClient, before } = watchedClient()
  const { app, clock, open, stored, forgotten, fileId, storage: { state } } = await startService(t, { storing, httpClient })
  async function edit (text: string): Promise<void> {
    const session = await open()
    await session.edit(text)
    t.match(await session.close(), { accepted: false })
  }
  await edit('first')
  t.ok(await state!.set(fileId, { format: 1, sessions: [], saves: [] }, (await state!.get(fileId))!.version))
  before('info 2', async () => {
    clock.jump(1000)
    await edit('second')
    disk.isFull = false
  })
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame([await stored(), forgotten()], [OLD, ['second']])
})

t.test('while users edit the same content under another key, a forgotten file is not stored: their session would not build on it', async t => {
  const { app, recover, stored, forgotten, fileId, documentServer } = await startAfterOutage(t, 'forgotten')
  const control = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
  const session = await documentServer.open(Object.assign(control, { documentKey: 'assigned-by-us' }).config!)
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame([await stored(), forgotten()], [OLD, ['forgotten']])
  t.match(await session.close(), { status: 4 })
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
})

t.test('a forgotten file is stored although its key was made when the document server had another address', async t => {
  const service = await startService(t)
  const { app, documentServer, fileId, storage, origin, postSignedCallback, stored } = service
  const key = documentKeys(`${origin}${HANDLER}`, 'https://earlier.example.com').of((await storage.stat(fileId))!)
  t.equal((await postSignedCallback(fileId, { key, status: 1, users: ['ada'] })).body, '{"error":0}')
  const session = await documentServer.open(await unknownHere(service, key))
  await session.edit('forgotten')
  await session.close()
  t.match(await app.editorServer.recoverForgotten(), [{ key, outcome: 'stored', kept: false }])
  t.equal(await stored(), 'forgotten')
})

t.test('while another document server has a live session, a forgotten file is not stored: that session would not build on it', async t => {
  const { recover, stored, forgotten, fileId, storage, origin, postSignedCallback } = await startAfterOutage(t, 'forgotten')
  const key = documentKeys(`${origin}${HANDLER}`, 'https://other.example.com').of((await storage.stat(fileId))!)
  t.equal((await postSignedCallback(fileId, { key, status: 1, users: ['grace'] })).body, '{"error":0}')
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.equal(await stored(), OLD)
  t.strictSame(forgotten(), ['forgotten'])
  t.equal((await postSignedCallback(fileId, { key, status: 4 })).body, '{"error":0}')
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'forgotten')
})

t.test('content that could not be deleted at the document server is recognized by the next run', async t => {
  const { recover, documentServer, stored, saved, forgotten } = await startAfterOutage(t, 'stored once')
  // getForgottenList, info, getForgotten, info, info, and then the getForgotten before deleteForgotten
  documentServer.fault('command', { type: 'answer', status: 500 }, { after: 5, times: 1 })
  t.match(await recover(), [{ outcome: 'stored', kept: true }])
  t.strictSame(forgotten(), ['stored once'])
  t.match(await recover(), [{ outcome: 'already-stored', kept: false }])
  t.strictSame(forgotten(), [])
  t.equal(await stored(), 'stored once')
  t.equal(saved.length, 1)
})

t.test('the key was forgotten again with newer content while the first was stored: the newer content is not deleted', async t => {
  let reopen: (() => Promise<void>) | undefined
  const service = await startAfterOutage(t, 'first', {
    async onSaved ({ recovered }) {
      if (recovered) await reopen?.()
    }
  })
  const { recover, documentServer, app, fileId, stored, forgotten, power, lostKey } = service
  const control = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
  const { config } = control
  t.equal(control.documentKey, lostKey, 'a page was rendered before')
  reopen = async () => {
    reopen = undefined
    const session = await documentServer.open(config!)
    await session.edit('second')
    power.isOn = false
    t.match(await session.close(), { accepted: false })
    power.isOn = true
  }
  t.match(await recover(), [{ outcome: 'stored', kept: true }])
  t.equal(await stored(), 'first')
  t.strictSame(forgotten(), ['second'], 'it was not deleted')
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'second', 'the next run stores it')
})

t.test('keys of other applications are left alone; recovery.fileIdOf tells the document of a key', async t => {
  const fileIds = new Map<string, string>()
  const service = await startService(t, { recovery: { fileIdOf: key => fileIds.get(key) } })
  const { app, documentServer, fileId, forgotten, stored } = service
  for (const documentKey of ['assigned-by-us', 'of-somebody-else']) {
    const session = await documentServer.open(await unknownHere(service, documentKey))
    await session.edit(documentKey)
    await session.close()
  }
  fileIds.set('assigned-by-us', fileId)
  t.match(await app.editorServer.recoverForgotten(), [{
    key: 'assigned-by-us',
    fileId,
    outcome: 'conflict',
    kept: false
  }, { key: 'of-somebody-else', outcome: 'foreign', kept: true }])
  t.equal(await stored(), OLD, 'nothing tells which content the session was based on')
  t.strictSame(forgotten(), ['of-somebody-else'])
})

t.test('the document of a key is found by its record, whatever its fileId, and all records are read once for the same foreign keys', async t => {
  const power = powerSwitch()
  const directory = t.testdir()
  const storage = fileStorage({ directory })
  let listed = 0
  const list = () => {
    listed++
    return storage.state.list!()
  }
  const service = await startService(t, { prepare: power.prepare, storage: { ...storage, state: { ...storage.state, list } } })
  const { app, documentServer, stored, forgotten } = service
  const fileId = 'x'.repeat(60)
  await writeFile(join(directory, `${fileId}.txt`), OLD)
  const control = async (fileId: string) => await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)
  const configs = [
    (await control(fileId)).config!,
    Object.assign(await control(service.fileId), { documentKey: 'assigned-by-us' }).config!,
    await unknownHere(service, 'elsewhere')
  ]
  for (const [index, config] of configs.entries()) {
    const session = await documentServer.open(config)
    await session.edit(`edit ${index}`)
    power.isOn = false
    await session.close()
    power.isOn = true
  }
  const results = await app.editorServer.recoverForgotten()
  t.strictSame(Object.fromEntries(results.map(({ fileId = 'none', outcome }) => [fileId, outcome])), {
    [fileId]: 'stored',
    [service.fileId]: 'stored',
    none: 'foreign'
  })
  t.strictSame([await service.storedText(fileId), await stored()], ['edit 0', 'edit 1'])
  t.strictSame(forgotten(), ['edit 2'])
  await app.editorServer.recoverForgotten()
  t.equal(listed, 1)
})

t.test('two instances recover at the same time: each file is stored once', async t => {
  const directory = t.testdir()
  const service = await startAfterOutage(t, 'stored once', { storage: fileStorage({ directory }) })
  const { clock, documentServer, fileId, stored, saved, forgotten, origin, app } = service
  const other = await startHost(t, {
    clock,
    documentServerOrigin: documentServer.url,
    publicBaseUrl: origin,
    storage: fileStorage({ directory }),
    jwtSecret: SECRET
  })
  const outcomes = (await Promise.all([app.editorServer.recoverForgotten(), other.app.editorServer.recoverForgotten()]))
    .flat().map(({ outcome }) => outcome)
  t.equal(outcomes.filter(outcome => outcome === 'stored').length, 1)
  t.equal(outcomes.filter(outcome => outcome === 'failed').length, 0)
  t.equal(await stored(), 'stored once')
  t.ok(saved.length <= 1)
  t.strictSame(forgotten(), [])
  t.equal((await app.editorStorage.stat(fileId))?.extension, 'txt')
})

t.test('with recovery.interval it runs by itself, also after a run that failed, until the application closes', async t => {
  const { promise, resolve } = deferred<void>()
  const power = powerSwitch()
  const service = await startService(t, { prepare: power.prepare, recovery: { interval: 20 }, onSaved: () => resolve() })
  service.documentServer.fault('command', { type: 'answer', status: 500 }, { times: 1 })
  const session = await service.open()
  await session.edit('by itself')
  power.isOn = false
  await session.close()
  power.isOn = true
  await promise
  t.equal(await service.stored(), 'by itself')
  await service.app.close()
})

t.test('a hook of a run cannot wait for another run; what it has left for later can, when its run has ended', async t => {
  const runs: Array<Promise<unknown>> = []
  const ended = deferred()
  const onForgotten = async (): Promise<void> => {
    const again = async () => await app.editorServer.recoverForgotten()
    runs.push(ended.promise.then(again))
    await t.rejects(again(), { code: 'FST_EDITOR_NESTED_RECOVERY' })
  }
  const { recover, app, fileId, storage, forgotten } = await startAfterOutage(t, 'handed over', { onForgotten })
  await storage.remove!(fileId)
  t.match(await recover(), [{ outcome: 'handed-over', kept: false }])
  t.strictSame(forgotten(), [])
  ended.resolve()
  t.strictSame(await Promise.all(runs), [[]])
})

t.test('an aborted run rejects with the reason; no answer of the document server is an error', async t => {
  const { app, documentServer } = await startService(t)
  const reason = new Error('no longer needed')
  await t.rejects(app.editorServer.recoverForgotten({ signal: AbortSignal.abort(reason) }), reason)
  documentServer.fault('command', { type: 'html' })
  await t.rejects(app.editorServer.recoverForgotten(), { code: 'FST_EDITOR_UPSTREAM' })
  await t.rejects(app.editorServer.recoverForgotten({ dryRun: 'no' as never }), { code: 'FST_EDITOR_INVALID_OPTION' })
})

function fullDisk () {
  const disk = { isFull: true }
  const storing = (storage: Storage): Storage => ({
    ...storage,
    async replace (...args) {
      if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return await storage.replace(...args)
    }
  })
  return { disk, storing }
}
