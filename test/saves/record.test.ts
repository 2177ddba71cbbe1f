import t from 'tap'
import { memoryStorage, type SavedEvent, type Storage } from '../../lib/index.js'
import { NEW, OLD, profiles, startEditing } from '../helpers/editing.js'

const odd: readonly unknown[] = [
  null, 'text', 0, [], {}, { sessions: [] }, { sessions: {}, saves: [] }, { sessions: [{ key: 'K' }], saves: [] }, { sessions: [], saves: [{ key: 'K', status: 3, storedAt: 1 }] },
  { sessions: [], saves: [], lock: {} }, { sessions: [], saves: [], lock: { id: 1 } }, { sessions: [], saves: [], lock: { id: 'a', publishing: {} } }, { sessions: [], saves: [], undelivered: [{}] }
]

for (const profile of profiles) {
  t.test(`an invalid record is treated as a missing one: documents open and are saved (${profile})`, async t => {
    for (const value of odd) {
      const { key, openedKey, post, url, storage, fileId, storedText } = await startEditing(t, { profile, memory: true })
      const { version = null } = await storage.state!.get(fileId) ?? {}
      t.not(await storage.state!.set(fileId, value, version), null)
      t.equal(await openedKey(), key, JSON.stringify(value))
      t.equal(await post({ key, status: 1 }), 0)
      t.equal(await post({ key, status: 2, url }), 0)
      t.equal(await storedText(fileId), NEW)
    }
  })

  t.test(`a save that cannot be noted is refused, and nothing is stored (${profile})`, async t => {
    const memory = memoryStorage()
    const storage: Storage = { ...memory, state: { ...memory.state, set: async () => { throw new Error('no space left on device') } } }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    for (const status of [6, 2]) t.equal(await post({ key, status, url }), 1)
    t.equal(await storedText(fileId), OLD)
  })

  t.test(`with a storage that cannot announce a revision, a save that cannot be noted afterwards is refused, and its repeat is recognized by its bytes (${profile})`, async t => {
    const { stage, ...memory } = memoryStorage()
    let isFull = false
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, options),
      state: {
        ...memory.state,
        async set (fileId, value, version, options) {
          if (isFull && options?.durable !== false) throw new Error('no space left on device')
          return await memory.state.set(fileId, value, version, options)
        }
      }
    }
    const saved: SavedEvent[] = []
    const { key, post, url, fileId, storedText, openedKey } = await startEditing(t, { profile, memory: true, storage, onConflict: 'keep-both', onSaved: event => { saved.push(event) } })
    t.equal(await post({ key, status: 1 }), 0)
    isFull = true
    t.equal(await post({ key, status: 2, url }), 1)
    isFull = false
    t.equal(await storedText(fileId), NEW)
    t.equal(await post({ key, status: 2, url }), 0)
    t.match(saved, [{ status: 2, conflict: undefined }], 'no conflict with itself')
    t.not(await openedKey(), key)
  })

  t.test(`when the document server has lost its session and reopens the old content, the conflict copy of the first session is kept (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const { key, post, fileId, storage, storedText, documentServer: { origin } } = await startEditing(t, {
      profile,
      memory: true,
      onConflict: 'keep-both',
      serve: (request, response) => response.end(request.url),
      onSaved: event => { saved.push(event) }
    })
    t.equal(await post({ key, status: 1 }), 0)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    const save = async (path: string, lastsave: string, created: string) =>
      t.equal(await post({ key, status: 6, url: `${origin}/${path}`, lastsave, history: { changes: [{ created, user: { id: 'u1' } }] } }), 0)
    await save('first', '2026-11-20T16:10:00.000Z', '2026-11-20 16:00:00')
    await save('further', '2026-11-20T16:20:00.000Z', '2026-11-20 16:00:00')
    await save('anew', '2026-11-20T16:40:00.000Z', '2026-11-20 16:30:00')
    const [first, further, anew] = saved.map(({ conflictFileId }) => conflictFileId!)
    t.equal(further, first)
    t.not(anew, first)
    t.equal(await storedText(first!), '/further')
    t.equal(await storedText(anew!), '/anew')
  })
}
