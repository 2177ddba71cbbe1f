import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { storeOf } from '../kit/storage.js'

const OUTSIDE = 'changed from outside'

/** A document server whose saved files have their path as content; a file that others can change. */
async function startShared (t: Test, options: EditingOptions = {}) {
  const saved: SavedEvent[] = []
  const commands = { error: 1 }
  const editing = await startEditing(t, {
    serve: (request, response) => response.end(request.method === 'POST' ? JSON.stringify(commands) : request.url),
    onSaved: event => { saved.push(event) },
    ...options
  })
  const { fileId, post, others, documentServer: { origin } } = editing
  return {
    ...editing,
    saved,
    /** What the document server answers when it is asked for a session. */
    commands,
    save: async (key: string, status: 2 | 6, path: string, lastsave?: string) =>
      await post({ key, status, url: `${origin}/${path}`, ...(lastsave && { lastsave }) }),
    changeFromOutside: async (content = OUTSIDE) => await others.write(fileId, 'txt', content),
    /** How many documents there are. */
    documents: async () => (await editing.listing()).filter(name => name.endsWith('.txt')).length
  }
}

t.test('a save of a file that was changed from outside during the session: both contents are kept', async t => {
  const { fileId, key, openedKey, post, save, saved, storedText, changeFromOutside, storage, documents } =
    await startShared(t, { policies: { conflict: 'keep-both' } })
  t.equal(await post({ key, status: 1 }), 0)
  await changeFromOutside()
  const current = await openedKey()
  t.not(current, key, 'a new editor sees the stored content')
  t.equal(await save(key, 6, 'force'), 0)
  t.equal(await storedText(fileId), OUTSIDE)
  const copyId = saved[0]!.stored.fileId
  const info = (await storage.stat(copyId))!
  t.strictSame(saved, [{
    id: saved[0]!.id,
    fileId,
    rule: 'changed',
    key,
    status: 6,
    stored: { fileId: copyId, fileType: 'txt', size: '/force'.length, revision: info.revision },
    conflict: { reason: 'changed' }
  }])
  t.not(copyId, fileId)
  t.equal(await storedText(copyId), '/force')
  t.equal(await openedKey(), current, 'nobody gets the key of content that is not in the file')

  t.equal(await save(key, 6, 'second'), 0)
  t.equal(await storedText(copyId), '/second')
  t.equal(await save(key, 6, 'second'), 0)
  await changeFromOutside('changed once more')
  t.equal(await save(key, 2, 'finished'), 0)
  t.equal(await storedText(copyId), '/finished')
  t.equal(await storedText(fileId), 'changed once more')
  t.strictSame(
    saved.map(event => [event.status, event.fileId, event.stored.fileId]),
    [6, 6, 2].map(status => [status, fileId, copyId]),
    'all saves of the session are in one file'
  )
  t.equal(await documents(), 2)

  const next = await openedKey()
  t.not(next, key, 'the session has ended')
  t.equal(await save(key, 2, 'finished'), 0)
  t.equal(await save(key, 6, 'force'), 0)
  t.equal(await documents(), 2, 'repeats and late saves write nothing')
  t.equal(saved.length, 3)
  t.equal(await save(next, 2, 'next'), 0)
  t.equal(await storedText(fileId), '/next', 'the next session saves into the file')
  t.equal(await documents(), 2)
  t.notOk(saved[3]!.conflict)
})

t.test('a conflict copy that could not be noted is the only one, and is told when the save is repeated, unless it was changed since', async t => {
  for (const isChanged of [false, true]) {
    const { app, key, post, save, saved, storedText, changeFromOutside, documents, listing } = await startShared(t, { policies: { conflict: 'keep-both' } })
    const storage = storeOf(app)
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    let isFull = false
    const { create } = storage
    const { set } = storage.state
    Object.assign(storage, {
      async create (...given: Parameters<typeof create>) {
        const info = await create(...given)
        isFull = true
        return info
      }
    })
    Object.assign(storage.state, {
      set: async (...given: Parameters<typeof set>) => {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        return await set(...given)
      }
    })
    const before = await listing()
    t.equal(await save(key, 2, 'finished'), 1)
    const added = (await listing()).filter(name => name.endsWith('.txt') && !before.includes(name))
    t.equal(added.length, 1)
    const copy = added[0]!.split('.')[0]!
    const count = await documents()
    Object.assign(storage, { create })
    isFull = false
    if (isChanged) await storage.replace(copy, Buffer.from('continued'))
    t.equal(await save(key, 2, 'finished'), 0)
    t.equal(await documents() - count, isChanged ? 1 : 0)
    t.equal(saved.length, 1)
    t.equal(saved[0]!.stored.fileId === copy, !isChanged)
    t.equal(await storedText(copy), isChanged ? 'continued' : '/finished')
    t.equal(await storedText(saved[0]!.stored.fileId), '/finished')
  }
})

t.test('policies.conflict overwrite: the save replaces what was changed from outside', async t => {
  const { fileId, key, post, save, saved, storedText, changeFromOutside, documents } = await startShared(t, { policies: { conflict: 'overwrite' } })
  t.equal(await post({ key, status: 1 }), 0)
  await changeFromOutside()
  t.equal(await save(key, 6, 'force'), 0)
  t.equal(await storedText(fileId), '/force')
  await changeFromOutside()
  t.equal(await save(key, 2, 'finished'), 0)
  t.equal(await storedText(fileId), '/finished')
  t.equal(await documents(), 1)
  t.strictSame(saved.map(event => [event.status, 'conflict' in event, event.stored.fileId]), [[6, false, fileId], [2, false, fileId]])
})
