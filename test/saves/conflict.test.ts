import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, profiles, startEditing, startInstance } from '../kit/editing.js'

const OUTSIDE = 'changed from outside'

/** A document server whose saved files have their path as content; a file that others can change. */
async function startShared (t: Test, options: EditingOptions) {
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

for (const profile of profiles) {
  t.test(`a save of a file that was changed from outside during the session: both contents are kept (${profile})`, async t => {
    const { fileId, key, openedKey, post, save, saved, storedText, changeFromOutside, storage, documents } =
      await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    const current = await openedKey()
    t.not(current, key, 'a new editor sees the stored content')
    t.equal(await save(key, 6, 'force'), 0)
    t.equal(await storedText(fileId), OUTSIDE)
    const { conflictFileId } = saved[0]!
    const info = (await storage.stat(conflictFileId!))!
    t.strictSame(saved, [{
      id: saved[0]!.id,
      fileId,
      key,
      status: 6,
      extension: 'txt',
      size: '/force'.length,
      revision: info.revision,
      conflict: true,
      conflictFileId,
      conflictReason: 'changed'
    }])
    t.not(conflictFileId, fileId)
    t.equal(await storedText(conflictFileId!), '/force')
    t.equal(await openedKey(), current, 'nobody gets the key of content that is not in the file')

    t.equal(await save(key, 6, 'second'), 0)
    t.equal(await storedText(conflictFileId!), '/second')
    t.equal(await save(key, 6, 'second'), 0)
    await changeFromOutside('changed once more')
    t.equal(await save(key, 2, 'finished'), 0)
    t.equal(await storedText(conflictFileId!), '/finished')
    t.equal(await storedText(fileId), 'changed once more')
    t.strictSame(
      saved.map(event => [event.status, event.fileId, event.conflictFileId]),
      [6, 6, 2].map(status => [status, fileId, conflictFileId]),
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

  t.test(`a conflict copy that could not be noted is the only one, and is told when the save is repeated, unless it was changed since (${profile})`, async t => {
    for (const isChanged of [false, true]) {
      const { key, post, save, saved, storedText, changeFromOutside, storage, documents, listing } = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
      t.equal(await post({ key, status: 1 }), 0)
      await changeFromOutside()
      let isFull = false
      const { create } = storage
      const { set } = storage.state!
      Object.assign(storage, {
        async create (...given: Parameters<typeof create>) {
          const info = await create(...given)
          isFull = true
          return info
        }
      })
      Object.assign(storage.state!, {
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
      t.equal(saved[0]!.conflictFileId === copy, !isChanged)
      t.equal(await storedText(copy), isChanged ? 'continued' : '/finished')
      t.equal(await storedText(saved[0]!.conflictFileId!), '/finished')
    }
  })

  t.test(`policies.conflict overwrite: the save replaces what was changed from outside (${profile})`, async t => {
    const { fileId, key, post, save, saved, storedText, changeFromOutside, documents } = await startShared(t, { profile, policies: { conflict: 'overwrite' } })
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    t.equal(await save(key, 6, 'force'), 0)
    t.equal(await storedText(fileId), '/force')
    await changeFromOutside()
    t.equal(await save(key, 2, 'finished'), 0)
    t.equal(await storedText(fileId), '/finished')
    t.equal(await documents(), 1)
    t.strictSame(saved.map(event => [event.status, 'conflict' in event, 'conflictFileId' in event]), [[6, false, false], [2, false, false]])
  })

  t.test(`policies.conflict by default: ${profile === 'secure' ? 'secure keeps both' : 'classic overwrites'}`, async t => {
    const { fileId, key, post, save, storedText, changeFromOutside } = await startShared(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    t.equal(await save(key, 2, 'finished'), 0)
    t.equal(await storedText(fileId), profile === 'secure' ? OUTSIDE : '/finished')
  })

  t.test(`the session's own saves are not changes from outside, not even at another instance (${profile})`, async t => {
    const editing = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    const { key, post, save, saved, documents, documentServer: { origin } } = editing
    const other = await startInstance(t, editing, { profile, policies: { conflict: 'keep-both' } })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await save(key, 6, '1'), 0)
    t.equal(await other.post({ key, status: 6, url: `${origin}/2` }), 0)
    t.equal(await save(key, 2, '3'), 0)
    t.strictSame(saved.map(({ conflict }) => conflict), [undefined, undefined])
    t.equal(await documents(), 1)
  })

  t.test(`a refused save of a conflict is stored in the conflict copy when it is repeated (${profile})`, async t => {
    let broken = false
    const { fileId, key, openedKey, post, save, saved, storedText, changeFromOutside, documents } = await startShared(t, {
      profile,
      policies: { conflict: 'keep-both' },
      serve: (request, response) => response.writeHead(broken ? 404 : 200).end(request.url)
    })
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    t.equal(await save(key, 6, 'force'), 0)
    broken = true
    t.equal(await save(key, 2, 'refused'), 1)
    t.equal(await openedKey(), key, 'the document server keeps it under this key')
    broken = false
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await save(key, 2, 'again'), 0)
    t.equal(await storedText(fileId), OUTSIDE)
    t.equal(await storedText(saved[0]!.conflictFileId!), '/again')
    t.equal(await documents(), 2)
  })

  t.test(`a page rendered before a change from outside and opened after it causes a conflict (${profile})`, async t => {
    const { fileId, key, openedKey, post, save, saved, storedText, changeFromOutside } = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    await changeFromOutside()
    const current = await openedKey()
    t.not(current, key, 'nobody edited it: the key is new')
    t.equal(await post({ key, status: 1 }), 0, 'the page opens its old key, which the document server may know with the old content')
    t.equal(await openedKey(), current, 'nobody else gets that key')
    t.equal(await post({ key: current, status: 1 }), 0)
    t.equal(await openedKey(), current)
    t.equal(await save(current, 6, 'current'), 0)
    t.equal(await save(key, 2, 'outdated'), 0)
    t.equal(await storedText(fileId), '/current')
    t.match(saved, [{ key: current, conflict: undefined }, { key, conflict: true }])
    t.equal(await storedText(saved[1]!.conflictFileId!), '/outdated')
    t.equal(await openedKey(), current)
    t.equal(await save(current, 2, 'finished'), 0)
    t.equal(await storedText(fileId), '/finished')
    t.notOk(saved[2]!.conflict)
  })

  t.test(`a refused save of such a page is not orphaned: its key is given to the next editor (${profile})`, async t => {
    const { key, openedKey, post, changeFromOutside, commands } = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    await changeFromOutside()
    const current = await openedKey()
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
    t.equal(await openedKey(), key)
    commands.error = 0
    t.equal(await post({ key, status: 4 }), 0, 'somebody has looked at it and left')
    t.equal(await openedKey(), key)
    commands.error = 1
    t.equal(await post({ key, status: 4 }), 0)
    t.equal(await openedKey(), current, 'the document server no longer has it')
  })

  t.test(`a change from outside while nobody edits is no conflict for the next editor (${profile})`, async t => {
    const { fileId, key, openedKey, post, save, saved, storedText, changeFromOutside } = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    for (const status of [1, 4]) t.equal(await post({ key, status }), 0)
    await changeFromOutside()
    const next = await openedKey()
    t.not(next, key)
    t.equal(await save(next, 2, 'finished'), 0, 'although its start was not reported')
    t.equal(await storedText(fileId), '/finished')
    t.notOk(saved[0]!.conflict)
  })

  t.test(`a conflicting save that is repeated at once is stored once (${profile})`, async t => {
    const { fileId, key, post, save, saved, storedText, changeFromOutside, documents } = await startShared(t, { profile, policies: { conflict: 'keep-both' } })
    t.equal(await post({ key, status: 1 }), 0)
    await changeFromOutside()
    t.strictSame(await Promise.all([save(key, 2, 'a'), save(key, 2, 'a'), save(key, 2, 'a')]), [0, 0, 0])
    t.equal(saved.length, 1)
    t.equal(await documents(), 2)
    t.equal(await storedText(fileId), OUTSIDE)
  })
}
