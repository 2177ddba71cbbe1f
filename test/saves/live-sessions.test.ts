import t from 'tap'
import { memoryStorage, type SavedEvent } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { NEW, startEditing } from '../kit/editing.js'

t.test('when an old page reopens the key of a finished save, others get that key only if the document server knows the session', async t => {
  const told: SavedEvent[] = []
  const commands = { error: 1 }
  const { key, openedKey, post, documentServer: { origin } } = await startEditing(t, {
    onSaved: event => { told.push(event) },
    serve: (request, response) => response.end(request.method === 'POST' ? JSON.stringify(commands) : NEW)
  })
  t.equal(await post({ key, status: 2, url: `${origin}/1` }), 0)
  const next = await openedKey()
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await openedKey(), next, 'nobody can edit under it yet, or status 1 is late')
  t.equal(await post({ key, status: 1 }), 0)
  commands.error = 0
  t.equal(await openedKey(), key, 'a new editor joins that session')
  t.equal(await post({ key, status: 2, url: `${origin}/2` }), 0)
  t.match(told, [{ status: 2, conflict: undefined }, { status: 2, conflict: undefined }])
  commands.error = 1
  t.not(await openedKey(), key)
})

t.test('an editor that opens the file at any moment while its finished save is being stored gets a key that the others get too', async t => {
  for (let nth = 1; ; nth++) {
    const memory = memoryStorage()
    let accesses = 0
    let meanwhile: (() => Promise<unknown>) | undefined
    const preceded = <Given extends unknown[], Result>(access: (...given: Given) => Promise<Result>) => async (...given: Given) => {
      if (++accesses === nth) {
        const task = meanwhile
        meanwhile = undefined
        await task?.()
      }
      return await access(...given)
    }
    const storage: DocumentStore = { ...memory, stat: preceded(memory.stat), snapshot: preceded(memory.snapshot) }
    const { key, openedKey, post, url } = await startEditing(t, { memory: true, storage })
    t.equal(await post({ key, status: 1 }), 0)
    accesses = 0
    meanwhile = async () => await post({ key, status: 2, url })
    const during = await openedKey()
    if (meanwhile !== undefined) break
    t.not(during, key, `${nth}: not the key of the finished session`)
    t.equal(during, await openedKey(), `${nth}: the same key as for a later editor`)
  }
})
