// However often a save is announced, and whatever fails after it was stored as a conflict copy: there is one copy.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { Content, EditorOptions, SavedEvent, StateStore, Storage } from '../../lib/index.js'
import { memoryStorage } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { type ServiceOptions, startService } from '../kit/sessions.js'
import { oneWriteStorage } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

const OUTSIDE = 'changed from outside'

/** Never returns the same bytes twice. */
const signing: NonNullable<EditorOptions['inspect']> = async ({ content }) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of content as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return { replace: Buffer.concat([...chunks, Buffer.from(` signed ${randomUUID()}`)]) }
}

const INSPECTIONS: ReadonlyArray<readonly [name: string, options: { readonly inspect?: typeof signing }]> = [
  ['', {}],
  [', which inspect replaces by other bytes each time', { inspect: signing }]
]

const contentIs = (text: string | null, expected: string) => text?.replace(/ signed .*/, '') === expected

/** A storage whose durable records of one document cannot be written while `isFull`. */
function withFailingNotes<Store extends Storage> (storage: Store, disk: { isFull: boolean, fileId?: string }): Store {
  const { set, ...state } = storage.state!
  const failing: StateStore['set'] = async (fileId, value, version, options) => {
    if (disk.isFull && fileId === disk.fileId && options?.durable !== false) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return await set(fileId, value, version, options)
  }
  return { ...storage, state: { ...state, set: failing } }
}

/**
 * Somebody edits a document that is changed from outside. `losing`: whether connections end before the answer to a
 * callback, or before the plugin handles it. `page`: opened by somebody else before the change.
 */
async function startLosing (t: Test, { isChanged = true, ...options }: ServiceOptions & { readonly isChanged?: boolean } = {}) {
  const losing = { answer: false, connection: false }
  const stored = deferred()
  const service = await startService(t, {
    policies: { conflict: 'keep-both' },
    onSaved: () => { stored.resolve() },
    prepare (app) {
      app.addHook('onSend', async (request, reply) => {
        if (losing.answer && isCallback(request.raw)) reply.raw.destroy()
      })
      app.addHook('preHandler', async (request, reply) => {
        if (losing.connection && isCallback(request.raw)) reply.raw.destroy()
      })
    },
    ...options
  })
  const session = await service.open()
  await session.edit('edited')
  const page = (await service.app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(service.fileId)).config!
  if (isChanged) await service.others.write(service.fileId, 'txt', OUTSIDE)
  return { ...service, isStored: stored.promise, session, page, losing, recover: async () => await service.app.editorServer.recoverForgotten() }
}

const isCallback = ({ method, url }: IncomingMessage) => method === 'POST' && /action=callback/.test(url ?? '')

for (const [replaced, inspection] of INSPECTIONS) {
  for (const lost of ['answer', 'connection'] as const) {
    t.test(`a final save becomes a conflict copy, and its ${lost} is lost: recovery finds that copy${replaced}`, async t => {
      const { session, losing, isStored, recover, forgotten, saved, listing, storedText, stored } = await startLosing(t, inspection)
      losing[lost] = true
      t.match(await session.close(), { status: 2, accepted: false })
      losing[lost] = false
      await isStored
      t.strictSame(forgotten(), ['edited'], 'the document server keeps it')
      const { conflictFileId, revision } = saved[0]!
      t.match(await recover(), [{ outcome: 'conflict', conflictFileId, revision, kept: false }])
      t.equal((await listing()).length, 2)
      t.ok(contentIs(await storedText(conflictFileId!), 'edited'))
      t.equal(await stored(), OUTSIDE)
      t.ok(saved.every(event => event.conflictFileId === conflictFileId))
      t.strictSame([forgotten(), await recover()], [[], []])
    })
  }

  t.test(`a conflict copy whose answer was lost is changed before recovery: the change stays, and there is no other copy${replaced}`, async t => {
    const { session, losing, recover, saved, listing, storedText, others } = await startLosing(t, inspection)
    losing.answer = true
    t.match(await session.close(), { status: 2, accepted: false })
    losing.answer = false
    const { conflictFileId } = saved[0]!
    await others.write(conflictFileId!, 'txt', 'continued')
    t.match(await recover(), [{ outcome: 'conflict', conflictFileId, kept: false }])
    t.equal(await storedText(conflictFileId!), 'continued')
    t.equal((await listing()).length, 2)
  })

  t.test(`a conflict copy whose answer was lost is removed before recovery: the forgotten file is stored as another${replaced}`, async t => {
    const { session, losing, recover, saved, listing, storedText, storage } = await startLosing(t, inspection)
    losing.answer = true
    t.match(await session.close(), { status: 2, accepted: false })
    losing.answer = false
    await storage.remove!(saved[0]!.conflictFileId!)
    const [result] = await recover()
    t.match(result, { outcome: 'conflict', kept: false })
    t.ok(contentIs(await storedText(result!.conflictFileId!), 'edited'))
    t.equal((await listing()).length, 2)
  })

  t.test(`a final save whose answer was lost is in the file: recovery makes no copy${replaced}`, async t => {
    const { session, losing, recover, listing, stored } = await startLosing(t, { ...inspection, isChanged: false })
    losing.answer = true
    t.match(await session.close(), { status: 2, accepted: false })
    losing.answer = false
    const before = await stored()
    t.ok(contentIs(before, 'edited'))
    t.match(await recover(), [{ outcome: 'stored', kept: false }])
    t.strictSame([await stored(), (await listing()).length], [before, 1])
  })

  t.test(`somebody opens and closes the forgotten file of a save that is in a conflict copy: there is no other copy${replaced}`, async t => {
    const { session, losing, documentServer, page, saved, listing, storedText } = await startLosing(t, inspection)
    losing.answer = true
    t.match(await session.close(), { status: 2, accepted: false })
    losing.answer = false
    const { conflictFileId } = saved[0]!
    const again = await documentServer.open(page)
    t.match(await again.nextEvent('joined'), { hasForgotten: true })
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(saved.at(-1)!.conflictFileId, conflictFileId)
    t.equal((await listing()).length, 2)
    t.ok(contentIs(await storedText(conflictFileId!), 'edited'))
  })
}

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
function withCreations<Store extends Storage> (storage: Store, created: string[]): Store {
  return {
    ...storage,
    async create (extension: string, content: Content, options?: { readonly fileId?: string }) {
      const info = await storage.create(extension, content, options)
      created.push(info.fileId)
      return info
    }
  }
}

for (const [replaced, inspection] of INSPECTIONS) {
  for (const [engine, storageOf] of [['a lock', memoryStorage], ['one write', oneWriteStorage]] as const) {
    t.test(`a conflict copy could not be noted (${engine}): the repeated save finds it${replaced}`, async t => {
      const disk = { isFull: false }
      const created: string[] = []
      const storage = withCreations(withFailingNotes(storageOf(), disk), created)
      const { save, saved, storedText } = await startConflict(t, { ...inspection, storage }, disk)
      created.length = 0
      disk.isFull = true
      for (let attempt = 1; attempt <= 2; attempt++) t.equal(await save(2, 'finished'), 1)
      disk.isFull = false
      t.equal(await save(2, 'finished'), 0)
      t.equal(await save(2, 'finished'), 0)
      t.equal(created.length, 1)
      t.strictSame(saved.map(({ conflictFileId }) => conflictFileId), created)
      t.ok(contentIs(await storedText(created[0]!), '/finished'))
    })

    t.test(`a conflict copy was replaced and that could not be noted (${engine}): the repeated save finds it${replaced}`, async t => {
      const disk = { isFull: false }
      const created: string[] = []
      const storage = withCreations(withFailingNotes(storageOf(), disk), created)
      const { save, saved, storedText } = await startConflict(t, { ...inspection, storage }, disk)
      created.length = 0
      t.equal(await save(6, 'first'), 0)
      disk.isFull = true
      t.equal(await save(2, 'finished'), 1)
      disk.isFull = false
      const before = await storedText(created[0]!)
      t.ok(contentIs(before, '/finished'))
      t.equal(await save(2, 'finished'), 0)
      t.equal(created.length, 1)
      t.equal(saved.at(-1)!.conflictFileId, created[0])
      t.equal(await storedText(created[0]!), before, 'it is not written once more')
    })

    t.test(`a conflict copy was replaced, which neither its record nor that of the file could note (${engine}): the repeated save finds it${replaced}`, async t => {
      const disk = { isFull: false }
      const created: string[] = []
      const whole = withCreations(storageOf(), created)
      const { set } = whole.state!
      const state: StateStore = {
        ...whole.state!,
        async set (fileId, value, version, options) {
          if (disk.isFull && options?.durable !== false) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return await set(fileId, value, version, options)
        }
      }
      const { save, saved, storedText } = await startConflict(t, { ...inspection, storage: { ...whole, state } }, disk)
      created.length = 0
      t.equal(await save(6, 'first'), 0)
      disk.isFull = true
      t.equal(await save(2, 'finished'), 1)
      disk.isFull = false
      t.ok(contentIs(await storedText(created[0]!), '/finished'))
      t.equal(await save(2, 'finished'), 0)
      t.equal(created.length, 1)
      t.equal(saved.at(-1)!.conflictFileId, created[0])
    })
  }

  for (const [when, isReplacing] of [['was stored', false], ['was replaced', true]] as const) {
    t.test(`a conflict copy ${when} and could not be noted: recovery finds it${replaced}`, async t => {
      const disk: { isFull: boolean, fileId?: string } = { isFull: false }
      const refused = deferred()
      const { session, recover, forgotten, listing, storedText, fileId, saved } = await startLosing(t, {
        ...inspection,
        onSaveFailed: () => { refused.resolve() },
        storing: storage => withFailingNotes(storage, disk)
      })
      disk.fileId = fileId
      if (isReplacing) t.match(await session.forceSave(), { accepted: true })
      if (isReplacing) await session.edit('edited again')
      disk.isFull = true
      t.match(await session.close(), { status: 2, accepted: false })
      await refused.promise // noting it is tried again, and the document server does not wait for that
      disk.isFull = false
      const [text] = forgotten()
      t.match(await recover(), [{ outcome: 'conflict', kept: false }])
      t.equal((await listing()).length, 2)
      t.ok(contentIs(await storedText(saved.at(-1)!.conflictFileId!), text!))
    })
  }
}

t.test('a forgotten file under a key of the application belongs to the document, not to the conflict copy that was saved under that key', async t => {
  const { app, documentServer, fileId, others, forgotten, losing, stored, storedText } = await startLosing(t, {
    isChanged: false,
    storing (storage) {
      const { list, ...state } = storage.state!
      return {
        ...storage,
        state: {
          ...state,
          async * list () {
            const records = []
            for await (const record of list!()) records.push(record)
            yield * records.sort((a, b) => Number(a.fileId === fileId) - Number(b.fileId === fileId)) // the copy first
          }
        }
      }
    }
  })
  const control = await app.editorControl({ user: { id: 'bob', name: 'Bob' } }).openDocument(fileId)
  const session = await documentServer.open(Object.assign(control, { documentKey: 'assigned-by-us' }).config!)
  await others.write(fileId, 'txt', OUTSIDE)
  for (const text of ['first', 'second']) {
    await session.edit(text)
    t.match(await session.forceSave(), { accepted: true })
  }
  await session.edit('third')
  losing.connection = true
  t.match(await session.close(), { status: 2, accepted: false })
  losing.connection = false
  const results = await app.editorServer.recoverForgotten()
  const result = results.find(({ key }) => key === 'assigned-by-us')
  t.match(result, { fileId, outcome: 'conflict', kept: false })
  t.equal(await stored(), OUTSIDE)
  t.strictSame(forgotten().filter(text => text === 'third'), [])
  t.equal(await storedText(result!.conflictFileId!), 'third')
})
