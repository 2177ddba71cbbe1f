import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { fileStorage, type ForgottenFileEvent } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { deferred } from '../kit/time.js'
import { OLD, startService } from '../kit/sessions.js'
import { startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { powerSwitch, startAfterOutage, textOf, unknownHere } from './outage.js'

t.test('an edit whose save came while the application was down is stored, and deleted at the document server', async t => {
  const { recover, lostKey, fileId, stored, forgotten, saved, key, storage } = await startAfterOutage(t, 'made before the outage')
  const results = await recover()
  const { revision } = (await storage.stat(fileId))!
  t.strictSame(results, [{ key: lostKey, fileId, outcome: 'stored', stored: { fileId, revision }, kept: false }])
  t.equal(await stored(), 'made before the outage')
  t.strictSame(forgotten(), [])
  t.match(saved, [{ fileId, status: 2, key: lostKey, stored: { fileId, revision }, recovered: true }], 'onSaved was called once')
  t.not(await key(), lostKey, 'the next editor gets a new key')
  t.strictSame(await recover(), [], 'nothing is left to do')
})

t.test('the document was replaced after the outage: both contents are kept', async t => {
  const { recover, fileId, stored, forgotten, storage, listing } = await startAfterOutage(t, 'made before the outage')
  await storage.replace(fileId, Buffer.from('replaced by another program'))
  const [result] = await recover()
  t.match(result, { fileId, outcome: 'conflict', kept: false })
  t.equal(await stored(), 'replaced by another program')
  const copy = await storage.read(result!.stored!.fileId)
  t.equal(await textOf(copy!.body), 'made before the outage')
  t.strictSame(forgotten(), [])
  t.equal((await listing()).length, 2)
  t.strictSame(await recover(), [])
})

t.test('the document was deleted after the outage: its content goes to onForgotten, and the document stays deleted', async t => {
  const events: Array<Omit<ForgottenFileEvent, 'content'> & { readonly text: string }> = []
  const onForgotten = async ({ content, ...event }: ForgottenFileEvent) => { events.push({ ...event, text: await textOf(content) }) }
  const { recover, lostKey, fileId, forgotten, storage } = await startAfterOutage(t, 'made before the outage', { onForgotten })
  await storage.remove(fileId)
  t.match(await recover(), [{ fileId, outcome: 'handed-over', kept: false }])
  t.match(events, [{ key: lostKey, fileId, fileType: 'txt', size: 22, writtenAt: Date, text: 'made before the outage' }])
  t.strictSame(forgotten(), [])
  t.equal(await storage.stat(fileId), null)
})

t.test('without onForgotten, the content of a deleted document stays at the document server', async t => {
  const { recover, fileId, forgotten, storage } = await startAfterOutage(t, 'kept')
  await storage.remove(fileId)
  t.match(await recover(true), [{ outcome: 'no-document', kept: true }])
  t.match(await recover(), [{ fileId, outcome: 'no-document', kept: true }])
  t.strictSame(forgotten(), ['kept'])
})

t.test('if onForgotten fails or hangs, the document server keeps the content', async t => {
  for (const onForgotten of [async () => { throw new Error('the archive is full') }, () => new Promise<void>(() => {})]) {
    const { recover, forgotten, storage, fileId } = await startAfterOutage(t, 'kept', { onForgotten, timeouts: { hooks: 100 } })
    await storage.remove(fileId)
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

t.test('while users edit the same content under another key, a forgotten file is not stored: their session would not build on it', async t => {
  const { app, recover, stored, forgotten, fileId, documentServer } = await startAfterOutage(t, 'forgotten')
  const control = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
  const session = await documentServer.open(Object.assign(control, { documentKey: 'assigned-by-us' }).config!)
  t.match(await recover(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame([await stored(), forgotten()], [OLD, ['forgotten']])
  t.match(await session.close(), { status: 4 })
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
})

t.test('a noted session that the document server does not know is over; one at another document server may go on, or a second one', async t => {
  for (const [outcome, ...noted] of [['stored', 'lost'], ['being-edited', 'elsewhere'], ['being-edited', 'lost', 'edited']]) {
    const { app, recover, lostKey, fileId, documentServer, postSignedCallback } = await startAfterOutage(t, 'forgotten')
    for (const name of noted) {
      const key = name === 'elsewhere' ? lostKey.split('.').with(2, name).join('.') : `${lostKey}.1`
      const control = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
      if (name === 'edited') await documentServer.open(Object.assign(control, { documentKey: name }).config!)
      else t.match(await postSignedCallback(fileId, { key, status: 1, users: ['bob'] }), { body: '{"error":0}' })
    }
    t.match(await recover(), [{ outcome, kept: outcome !== 'stored' }], noted.join())
  }
})

t.test('a document that is deleted while its forgotten file is inspected: the content goes to onForgotten', async t => {
  for (const missingFile of ['reject', 'acknowledge'] as const) {
    const texts: string[] = []
    const service = await startAfterOutage(t, 'made before', {
      policies: { missingFile },
      inspect: async ({ reason, fileId }) => reason !== 'recovery' || await service.storage.remove(fileId!),
      onForgotten: async ({ content }) => { texts.push(await textOf(content)) }
    })
    t.match(await service.recover(), [{ outcome: 'handed-over', kept: false }], missingFile)
    t.strictSame([texts, service.forgotten()], [['made before'], []])
  }
})

t.test('callbacks that have arrived are applied first: whoever has opened the document is known', async t => {
  const [entered, released] = [deferred(), deferred()]
  const { app, clock, documentServer, fileId, forgotten, recover, stored } = await startAfterOutage(t, 'forgotten', {
    async onCallback ({ key, status }) {
      if (key !== 'held-up' || status !== 1) return
      entered.resolve()
      await released.promise
    }
  })
  const openAs = async (documentKey: string) => {
    const control = await app.editorControl({ user: { id: documentKey, name: documentKey } }).openDocument(fileId)
    return await documentServer.open(Object.assign(control, { documentKey }).config!)
  }
  const other = openAs('held-up')
  await entered.promise
  const session = await openAs('assigned-by-us')
  const recovering = recover()
  for (let turns = 0; turns < 3000; turns++) await turn() // enough for a run that does not wait
  released.resolve()
  await (await other).close()
  t.match(await recovering, [{ outcome: 'being-edited', kept: true }])
  await clock.advance(1000)
  await session.edit('by another')
  t.match(await session.close(), { accepted: true })
  t.strictSame([await stored(), forgotten()], ['by another', ['forgotten']])
  t.match(await recover(), [{ outcome: 'conflict', kept: false }])
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

t.test('the key was forgotten again with newer content while the first was inspected: that one stays, and whoever opens the document gets it', async t => {
  const { disk, storing } = fullDisk()
  let during: (() => Promise<void>) | undefined
  const service = await startService(t, {
    storing,
    async inspect ({ reason }) {
      if (reason === 'recovery') await during?.()
      return true
    }
  })
  const { app, clock, open, stored, forgotten, key } = service
  const edited = async (text: string) => {
    const session = await open()
    await session.edit(text)
    disk.isFull = true
    t.match(await session.close(), { accepted: false })
    disk.isFull = false
    return session.key
  }
  const refusedKey = await edited('first')
  during = async () => {
    during = undefined
    await clock.advance(1000)
    t.equal(await edited('first, second'), refusedKey)
  }
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'being-edited', kept: true }])
  t.strictSame([await stored(), forgotten(), await key()], [OLD, ['first, second'], refusedKey])
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'stored', kept: false }])
  t.equal(await stored(), 'first, second')
})

t.test('keys of other applications are left alone; recovery.fileIdOf tells the document of a key', async t => {
  const fileIds = new Map<string, string>()
  const service = await startService(t, { recovery: { fileIdOf: ({ key }) => fileIds.get(key) } })
  const { app, documentServer, fileId, forgotten, stored } = service
  for (const documentKey of ['assigned-by-us', 'of-somebody-else']) {
    const session = await documentServer.open(await unknownHere(service, documentKey))
    await session.edit(documentKey)
    await session.close()
  }
  fileIds.set('assigned-by-us', fileId)
  t.match(await app.editorServer.recoverForgotten(), [
    { key: 'assigned-by-us', fileId, outcome: 'conflict', kept: false },
    { key: 'of-somebody-else', outcome: 'foreign', kept: true }
  ])
  t.equal(await stored(), OLD, 'nothing tells which content the session was based on')
  t.strictSame(forgotten(), ['of-somebody-else'])
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
  t.equal((await app.editorStorage.stat(fileId))?.fileType, 'txt')
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

function fullDisk () {
  const disk = { isFull: true }
  const storing = (storage: DocumentStore): DocumentStore => ({
    ...storage,
    async commit (...args) {
      if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return await storage.commit(...args)
    }
  })
  return { disk, storing }
}
