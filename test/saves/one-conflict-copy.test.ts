// However often a save is announced, and whatever fails after it was stored as a conflict copy: there is one copy.
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { memoryStorage, type SavedEvent } from '../../lib/index.js'
import type { DocumentStore, StateStore } from '../../lib/store/contract.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { type ServiceOptions, startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

const OUTSIDE = 'changed from outside'

/** A storage whose durable records of one document cannot be written while `isFull`. */
function withFailingNotes (storage: DocumentStore, disk: { isFull: boolean, fileId?: string }): DocumentStore {
  const { set, ...state } = storage.state
  const failing: StateStore['set'] = async (fileId, value, version) => {
    if (disk.isFull && fileId === disk.fileId) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return await set(fileId, value, version)
  }
  return { ...storage, state: { ...state, set: failing } }
}

/**
 * Somebody edits a document that is changed from outside. `losing`: whether connections end before the answer to a
 * callback.
 */
async function startLosing (t: Test, { isChanged = true, ...options }: ServiceOptions & { readonly isChanged?: boolean } = {}) {
  const losing = { answer: false }
  const stored = deferred()
  const service = await startService(t, {
    policies: { conflict: 'keep-both' },
    onSaved: () => { stored.resolve() },
    prepare (app) {
      app.addHook('onSend', async (request, reply) => {
        if (losing.answer && isCallback(request.raw)) reply.raw.destroy()
      })
    },
    ...options
  })
  const session = await service.open()
  await session.edit('edited')
  if (isChanged) await service.others.write(service.fileId, 'txt', OUTSIDE)
  return { ...service, isStored: stored.promise, session, losing, recover: async () => await service.app.editorServer.recoverForgotten() }
}

const isCallback = ({ method, url }: IncomingMessage) => method === 'POST' && /action=callback/.test(url ?? '')

t.test('a final save becomes a conflict copy, and its answer is lost: recovery finds that copy', async t => {
  const { session, losing, isStored, recover, forgotten, saved, listing, storedText, stored } = await startLosing(t)
  losing.answer = true
  t.match(await session.close(), { status: 2, accepted: false })
  losing.answer = false
  await isStored
  t.strictSame(forgotten(), ['edited'], 'the document server keeps it')
  const { fileId, revision } = saved[0]!.stored
  t.match(await recover(), [{ outcome: 'conflict', stored: { fileId, revision }, kept: false }])
  t.equal((await listing()).length, 2)
  t.equal(await storedText(fileId), 'edited')
  t.equal(await stored(), OUTSIDE)
  t.ok(saved.every(event => event.conflict && event.stored.fileId === fileId))
  t.strictSame([forgotten(), await recover()], [[], []])
})

t.test('a final save whose answer was lost is in the file: recovery makes no copy', async t => {
  const { session, losing, recover, listing, stored } = await startLosing(t, { isChanged: false })
  losing.answer = true
  t.match(await session.close(), { status: 2, accepted: false })
  losing.answer = false
  const before = await stored()
  t.equal(before, 'edited')
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
  t.strictSame([await stored(), (await listing()).length], [before, 1])
})

/** A session whose document was changed from outside, with a document server that serves paths. */
async function startConflict (t: Test, options: EditingOptions, disk: { isFull: boolean, fileId?: string }) {
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, {
    memory: true,
    policies: { conflict: 'keep-both' },
    serve: (request, response) => response.end(request.method === 'POST' ? '{"error":1}' : request.url),
    onSaved: event => { saved.push(event) },
    ...options
  })
  const { post, key, fileId, storage, documentServer: { origin } } = editing
  disk.fileId = fileId
  t.equal(await post({ key, status: 1 }), 0)
  await storage.replace(fileId, Buffer.from(OUTSIDE))
  return { ...editing, saved, save: async (status: 2 | 6, path: string) => await post({ key, status, url: `${origin}/${path}` }) }
}

/** Remembers the documents that are created. */
function withCreations (storage: DocumentStore, created: string[]): DocumentStore {
  return {
    ...storage,
    async create (extension, content, options) {
      const info = await storage.create(extension, content, options)
      created.push(info.fileId)
      return info
    }
  }
}

t.test('a conflict copy could not be noted: the repeated save finds it', async t => {
  const disk = { isFull: false }
  const created: string[] = []
  const storage = withCreations(withFailingNotes(memoryStorage(), disk), created)
  const { save, saved, storedText } = await startConflict(t, { storage }, disk)
  created.length = 0
  disk.isFull = true
  for (let attempt = 1; attempt <= 2; attempt++) t.equal(await save(2, 'finished'), 1)
  disk.isFull = false
  t.equal(await save(2, 'finished'), 0)
  t.equal(await save(2, 'finished'), 0)
  t.equal(created.length, 1)
  t.strictSame(saved.map(({ stored }) => stored.fileId), created)
  t.equal(await storedText(created[0]!), '/finished')
})

t.test('a conflict copy was replaced and that could not be noted: the repeated save finds it', async t => {
  const disk = { isFull: false }
  const created: string[] = []
  const storage = withCreations(withFailingNotes(memoryStorage(), disk), created)
  const { save, saved, storedText } = await startConflict(t, { storage }, disk)
  created.length = 0
  t.equal(await save(6, 'first'), 0)
  disk.isFull = true
  t.equal(await save(2, 'finished'), 1)
  disk.isFull = false
  t.equal(await save(2, 'finished'), 0)
  t.equal(await storedText(created[0]!), '/finished')
  t.equal(created.length, 1)
  t.equal(saved.at(-1)!.stored.fileId, created[0])
})
