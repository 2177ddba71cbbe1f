import t from 'tap'
import { memoryStorage, type SavedEvent } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { OLD, startEditing } from '../kit/editing.js'

t.test('a save that cannot be committed is refused, and nothing is stored', async t => {
  const storage: DocumentStore = { ...memoryStorage(), commit: async () => { throw new Error('no space left on device') } }
  const { key, post, url, fileId, storedText } = await startEditing(t, { memory: true, storage })
  for (const status of [6, 2]) t.equal(await post({ key, status, url }), 1)
  t.equal(await storedText(fileId), OLD)
})

t.test('a save whose record cannot be read is refused with the storage\'s error, and onSaveFailed is called', async t => {
  const memory = memoryStorage()
  let isBroken = false
  const storage: DocumentStore = {
    ...memory,
    async snapshot (fileId) {
      if (isBroken) throw Object.assign(new Error('the state failed'), { code: 'STATE' })
      return await memory.snapshot(fileId)
    }
  }
  const codes: string[] = []
  const { key, post, url, fileId, storedText } = await startEditing(t, {
    memory: true,
    storage,
    onSaveFailed: ({ code }) => { codes.push(code) }
  })
  isBroken = true
  t.equal(await post({ key, status: 2, url }), 1)
  t.strictSame(codes, ['STATE'])
  t.equal(await storedText(fileId), OLD)
})

t.test('when the document server has lost its session and reopens the old content, the conflict copy of the first session is kept', async t => {
  const saved: SavedEvent[] = []
  const { key, post, fileId, storage, storedText, documentServer: { origin } } = await startEditing(t, {
    memory: true,
    policies: { conflict: 'keep-both' },
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
  const [first, further, anew] = saved.map(({ stored }) => stored.fileId)
  t.equal(further, first)
  t.not(anew, first)
  t.equal(await storedText(first!), '/further')
  t.equal(await storedText(anew!), '/anew')
})
