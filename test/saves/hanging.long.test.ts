import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type HttpClient, type HttpResponse, memoryStorage, type StagedContent, type Storage } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

/** The calls of a storage that a save makes. */
export const CALLS = ['stat', 'stage', 'replace', 'discard', 'state.get', 'state.set'] as const
export type Call = typeof CALLS[number]

export interface Hang {
  readonly call: Call
  /** Whether the call does its work and only never says so. */
  readonly isDone: boolean
}

export interface HangingStorage {
  readonly storage: Storage
  /** From now on this call never ends for the file. Resolves when there is one. */
  hang (fileId: string, hang: Hang): Promise<void>
  /** New calls end again, as ever. */
  heal (): void
  /** Releases the hanging calls. Resolves when they are done. */
  goOn (): Promise<void>
}

/** Documents in memory. Without staging, content is read by `replace`. */
export function hangingStorage ({ isStaging }: { readonly isStaging: boolean }): HangingStorage {
  const { stage, replace, state, ...others } = memoryStorage()
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

  async function staged (fileId: string, content: AsyncIterable<Uint8Array>): Promise<StagedContent> {
    const kept = await stage(fileId, content)
    const { discard } = kept
    return Object.assign(kept, { discard: async () => await through('discard', fileId, discard) })
  }

  const storage: Storage = {
    ...others,
    ...(isStaging && { stage: async (fileId, content) => await through('stage', fileId, async () => await staged(fileId, content)) }),
    stat: async fileId => await through('stat', fileId, async () => await others.stat(fileId)),
    replace: async (fileId, content, options) => await through('replace', fileId, async () => await replace(fileId, content, options)),
    state: {
      get: async fileId => await through('state.get', fileId, async () => await state.get(fileId)),
      set: async (fileId, ...given) => await through('state.set', fileId, async () => await state.set(fileId, ...given))
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

/**
 * Far more than anything here takes, less than what is not bounded by the option in question: others wait 10 s for a
 * lock.
 */
const PATIENCE_MS = 9000

const HANGS = CALLS.flatMap(call => [{ call, isDone: false }, { call, isDone: true }])
/** What is not staged by the storage is not discarded by it, either. */
const isPossible = ({ call }: Hang, isStaging: boolean) => isStaging || (call !== 'stage' && call !== 'discard')
/** Such a storage has not said beforehand what it would store: that looks like what somebody else has put there. */
const isUnknown = ({ call, isDone }: Hang, isStaging: boolean) => !isStaging && call === 'replace' && isDone

async function soon<Result> (promise: Promise<Result>): Promise<Result | 'too late'> {
  return await Promise.race([promise, delay(PATIENCE_MS, 'too late' as const, { ref: false })])
}

for (const isStaging of [true, false]) {
  const kind = isStaging ? 'a storage' : 'a storage that stages nothing'

  async function start (t: Test, options: EditingOptions) {
    const hanging = hangingStorage({ isStaging })
    const serve: EditingOptions['serve'] = (request, response) => response.end(request.url)
    return { hanging, editing: await startEditing(t, { memory: true, storage: hanging.storage, serve, ...options }) }
  }

  for (const hang of HANGS.filter(one => isPossible(one, isStaging))) {
    const what = `${kind} whose ${hang.call} ${hang.isDone ? 'does its work and never says so' : 'never ends'}`

    t.test(`${what}: the save is answered in time, the next one is stored, other files are not affected`, { buffered: true }, async t => {
      const places: string[] = []
      const { hanging, editing } = await start(t, {
        timeouts: { storage: STORAGE_MS, total: TOTAL_MS },
        onSaved: ({ fileId, conflictFileId = fileId }) => { places.push(conflictFileId) }
      })
      const { fileId, key, documentServer: { origin } } = editing
      const other = await editing.storage.create('txt', Buffer.from('another'))
      const otherKey = await editing.openedKey(other.fileId)
      const begun = hanging.hang(fileId, hang)
      const answer = editing.post({ key, status: 6, url: `${origin}/first` })
      await begun
      hanging.heal()
      t.equal(await editing.post({ key: otherKey, status: 2, url: `${origin}/other` }, other.fileId), 0)
      t.equal(await soon(answer), hang.call === 'discard' ? 0 : 1)

      t.equal(await soon(editing.post({ key, status: 6, url: `${origin}/second` })), 0)
      t.equal(await editing.storedText(places.at(-1)!), '/second')
      if (isUnknown(hang, isStaging)) return
      t.equal(places.at(-1), fileId)
      await hanging.goOn()
      t.equal(await editing.storedText(fileId), '/second', 'regardless of the late call')
      t.equal(await editing.openedKey(), key, 'the session goes on')
      t.equal(await soon(editing.post({ key, status: 2, url: `${origin}/third` })), 0)
      t.equal(await editing.storedText(fileId), '/third')
      t.not(await editing.openedKey(), key)
    })

    t.test(`${what}: the app closes`, { buffered: true }, async t => {
      const { hanging, editing } = await start(t, { timeouts: { close: CLOSE_MS } })
      const begun = hanging.hang(editing.fileId, hang)
      const answer = editing.post({ key: editing.key, status: 2, url: `${editing.documentServer.origin}/first` })
      await begun
      t.not(await soon(editing.app.close()), 'too late')
      t.equal(await soon(answer), hang.call === 'discard' ? 0 : 1)
    })
  }
}

const CLIENTS: Record<string, () => Promise<HttpResponse>> = {
  'never answers': async () => await new Promise(() => {}),
  'answers with a body that never ends': async () => ({ status: 200, header: () => undefined, body: new Readable({ read () {} }) })
}

for (const [what, answer] of Object.entries(CLIENTS)) {
  async function start (t: Test, timeouts: NonNullable<EditingOptions['timeouts']>) {
    const asked = deferred()
    const httpClient: HttpClient = {
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
