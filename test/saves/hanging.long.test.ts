import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type StorageContent, type EditorHttpClient, type EditorHttpResponse, memoryStorage } from '../../lib/index.js'
import type { DocumentStore, StagedContent } from '../../lib/store/contract.js'
import { type EditingOptions, NEW, startEditing } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

/** The calls of a storage that a save makes. */
const CALLS = ['snapshot', 'stage', 'commit', 'discard'] as const
/** A conflict copy is noted by the last. */
type Call = typeof CALLS[number] | 'state.set'

interface Hang {
  readonly call: Call
  /** Whether the call does its work and only never says so. */
  readonly isDone: boolean
}

interface HangingStorage {
  readonly storage: DocumentStore
  /** From now on this call never ends for the file. Resolves when there is one. */
  hang (fileId: string, hang: Hang): Promise<void>
  /** New calls end again, as ever. */
  heal (): void
  /** Releases the hanging calls. Resolves when they are done. */
  goOn (): Promise<void>
}

/** Documents in memory. */
function hangingStorage (): HangingStorage {
  const memory = memoryStorage()
  let hanging: (Hang & { readonly fileId: string, readonly begun: () => void }) | undefined
  const gate = deferred()
  const late: Promise<unknown>[] = []

  async function through<Result> (call: Call, fileId: string, work: () => Promise<Result>): Promise<Result> {
    if (hanging?.call !== call || hanging.fileId !== fileId) return await work()
    const { isDone, begun } = hanging
    const done = isDone ? work() : gate.promise.then(work)
    late.push(done.catch(() => {}))
    await (isDone && done)
    begun()
    return await new Promise(() => {})
  }

  async function staged (fileId: string, content: StorageContent): Promise<StagedContent> {
    const kept = await memory.stage(fileId, content)
    const { discard } = kept
    return Object.assign(kept, { discard: async () => await through('discard', fileId, discard) })
  }

  const storage: DocumentStore = {
    ...memory,
    snapshot: async fileId => await through('snapshot', fileId, async () => await memory.snapshot(fileId)),
    stage: async (fileId, content) => await through('stage', fileId, async () => await staged(fileId, content)),
    commit: async (fileId, ...given) => await through('commit', fileId, async () => await memory.commit(fileId, ...given)),
    state: {
      ...memory.state,
      set: async (fileId, ...given) => await through('state.set', fileId, async () => await memory.state.set(fileId, ...given))
    }
  }

  return {
    storage,
    async hang (fileId, hang) {
      await new Promise<void>(resolve => { hanging = { ...hang, fileId, begun: resolve } })
    },
    heal () {
      hanging = undefined
    },
    async goOn () {
      gate.resolve()
      await Promise.all(late)
    }
  }
}

t.setTimeout(300_000)
t.jobs = 4 // most of the time they wait

const STORAGE_MS = 1000
/** Of downloads, which other saves must finish meanwhile. */
const TOTAL_MS = 4000
const CLOSE_MS = 200

/** Far more than anything here takes, less than what is not bounded by the option in question. */
const PATIENCE_MS = 9000

const HANGS = CALLS.flatMap(call => [{ call, isDone: false }, { call, isDone: true }])

async function soon<Result> (promise: Promise<Result>): Promise<Result | 'too late'> {
  return await Promise.race([promise, delay(PATIENCE_MS, 'too late' as const, { ref: false })])
}

async function startHanging (t: Test, options: EditingOptions) {
  const hanging = hangingStorage()
  const serve: EditingOptions['serve'] = (request, response) => response.end(request.url)
  return { hanging, editing: await startEditing(t, { memory: true, storage: hanging.storage, serve, ...options }) }
}

for (const hang of HANGS) {
  const what = `a storage whose ${hang.call} ${hang.isDone ? 'does its work and never says so' : 'never ends'}`
  const isCommitted = hang.call === 'commit' && hang.isDone

  t.test(`${what}: the save is answered in time, the next one is stored, other files are not affected`, { buffered: true }, async t => {
    const places: string[] = []
    const { hanging, editing } = await startHanging(t, {
      timeouts: { storage: STORAGE_MS, total: TOTAL_MS },
      onSaved: ({ stored }) => { places.push(stored.fileId) }
    })
    const { fileId, key, documentServer: { origin } } = editing
    const other = await editing.storage.create('txt', Buffer.from('another'))
    const otherKey = await editing.openedKey(other.fileId)
    const begun = hanging.hang(fileId, hang)
    const answer = editing.post({ key, status: 6, url: `${origin}/first` })
    await begun
    hanging.heal()
    t.equal(await editing.post({ key: otherKey, status: 2, url: `${origin}/other` }, other.fileId), 0)
    t.equal(await soon(answer), hang.call === 'discard' || isCommitted ? 0 : 1)

    t.equal(await soon(editing.post({ key, status: 6, url: `${origin}/second` })), 0)
    t.equal(await editing.storedText(places.at(-1)!), '/second')
    t.equal(places.at(-1), fileId)
    await hanging.goOn()
    t.equal(await editing.storedText(fileId), '/second', 'regardless of the late call')
    t.equal(await editing.openedKey(), key, 'the session goes on')
    t.equal(await soon(editing.post({ key, status: 2, url: `${origin}/third` })), 0)
    t.equal(await editing.storedText(fileId), '/third')
    t.not(await editing.openedKey(), key)
  })

  t.test(`${what}: the app closes`, { buffered: true }, async t => {
    const { hanging, editing } = await startHanging(t, { timeouts: { close: CLOSE_MS } })
    const begun = hanging.hang(editing.fileId, hang)
    const answer = editing.post({ key: editing.key, status: 2, url: `${editing.documentServer.origin}/first` })
    await begun
    t.not(await soon(editing.app.close()), 'too late')
    t.equal(await soon(answer), hang.call === 'discard' ? 0 : 1)
  })
}

for (const isDone of [false, true]) {
  const what = isDone ? 'does its work and never says so' : 'never ends'
  t.test(`a storage whose state.set ${what}: a save that becomes a conflict copy is answered in time, and there is one copy`, { buffered: true }, async t => {
    const places: string[] = []
    const { hanging, editing } = await startHanging(t, {
      timeouts: { storage: STORAGE_MS, total: TOTAL_MS },
      policies: { conflict: 'keep-both' },
      onSaved: ({ stored }) => { places.push(stored.fileId) }
    })
    const { fileId, key, documentServer: { origin } } = editing
    t.equal(await editing.post({ key, status: 1 }), 0)
    await editing.storage.replace(fileId, Buffer.from('changed from outside'))
    const begun = hanging.hang(fileId, { call: 'state.set', isDone })
    const answer = editing.post({ key, status: 6, url: `${origin}/first` })
    await begun
    hanging.heal()
    t.equal(await soon(answer), 1)
    t.equal(await soon(editing.post({ key, status: 6, url: `${origin}/first` })), 0)
    const [copy = fileId] = places
    t.equal(await editing.storedText(copy), '/first')
    await hanging.goOn()
    t.equal(await soon(editing.post({ key, status: 2, url: `${origin}/second` })), 0)
    t.equal(await editing.storedText(copy), '/second')
    t.strictSame(places, [copy, copy])
    t.equal(await editing.storedText(fileId), 'changed from outside')
    const fileIds: string[] = []
    for await (const record of hanging.storage.state.list()) fileIds.push(record.fileId)
    t.strictSame(new Set(fileIds), new Set([fileId, copy]))
  })
}

const CLIENTS: Record<string, () => Promise<EditorHttpResponse>> = {
  'never answers': async () => await new Promise(() => {}),
  'answers with a body that never ends': async () => ({ status: 200, header: () => undefined, body: new Readable({ read () {} }) })
}

for (const [what, answer] of Object.entries(CLIENTS)) {
  async function start (t: Test, timeouts: NonNullable<EditingOptions['timeouts']>) {
    const asked = deferred()
    const httpClient: EditorHttpClient = {
      async request () {
        asked.resolve()
        return await answer()
      }
    }
    return { asked: asked.promise, editing: await startEditing(t, { httpClient, timeouts }) }
  }

  t.test(`an HTTP client that ${what} and ignores the abort signal: the save is answered in time`, { buffered: true }, async t => {
    const { editing } = await start(t, { total: TOTAL_MS })
    t.equal(await soon(editing.post({ key: editing.key, status: 2, url: editing.url })), 1)
    await editing.unchanged(t, 'refused')
  })

  t.test(`an HTTP client that ${what} and ignores the abort signal: the app closes`, { buffered: true }, async t => {
    const { asked, editing } = await start(t, { close: CLOSE_MS })
    const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
    await asked
    t.not(await soon(editing.app.close()), 'too late')
    t.equal(await soon(answer), 1)
    await editing.unchanged(t, 'refused')
  })
}

t.test('an onSaved hook that never settles: the app closes, the save is acknowledged', { buffered: true }, async t => {
  const told = deferred()
  const editing = await startEditing(t, {
    timeouts: { close: CLOSE_MS },
    async onSaved () {
      told.resolve()
      await new Promise(() => {})
    }
  })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  await told.promise
  t.not(await soon(editing.app.close()), 'too late')
  t.equal(await soon(answer), 0)
})

t.test('with a storage that takes three seconds per call everything finishes, and nothing piles up', { buffered: true }, async t => {
  const memory = memoryStorage()
  const calls = { pause: 0, now: 0, most: 0 }
  function slow<Given extends unknown[], Result> (call: (...given: Given) => Promise<Result>) {
    return async (...given: Given): Promise<Result> => {
      calls.now++
      calls.most = Math.max(calls.most, calls.now)
      await delay(calls.pause)
      return await call(...given).finally(() => { calls.now-- })
    }
  }
  const storage: DocumentStore = {
    ...memory,
    snapshot: slow(memory.snapshot),
    commit: slow(memory.commit),
    state: { ...memory.state, set: slow(memory.state.set) }
  }
  const editing = await startEditing(t, { memory: true, storage })
  Object.assign(calls, { pause: 3000, most: 0 })
  const order: string[] = []
  const saved = editing.post({ key: editing.key, status: 2, url: editing.url }).finally(() => order.push('saved'))
  const closed = editing.post({ key: editing.key, status: 4 }).finally(() => order.push('closed'))
  t.strictSame(await Promise.all([saved, closed]), [0, 0])
  t.strictSame(order, ['closed', 'saved'], 'the document server is answered while a save goes on')
  t.equal(calls.most, 1, 'one call at a time')
  calls.pause = 0
  t.equal(await editing.storedText(editing.fileId), NEW)
  t.not(await editing.openedKey(), editing.key)
})
