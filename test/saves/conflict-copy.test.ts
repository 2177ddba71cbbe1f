import type { IncomingMessage, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { memoryStorage, type SavedEvent } from '../../lib/index.js'
import { type EditingOptions, profiles, startEditing, startInstance } from '../kit/editing.js'
import { quickStorage } from '../kit/storage.js'
import { deferred } from '../kit/time.js'

const OUTSIDE = 'changed from outside'

/** A document server that gives paths as content, and calls this when it is asked for one. */
function serving () {
  const paths = { meanwhile: async (_path: string): Promise<unknown> => null }
  return {
    paths,
    serve: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      await paths.meanwhile(request.url!)
      response.end(request.url)
    }
  }
}

/** A session of a file that was changed from outside, whose first save is in a conflict copy. */
async function startConflict (t: Test, options: EditingOptions = {}) {
  const { paths, serve } = serving()
  const saved: SavedEvent[] = []
  const editing = await startEditing(t, { policies: { conflict: 'keep-both' }, serve, onSaved: event => { saved.push(event) }, ...options })
  const { fileId, key, post, openedKey, documentServer: { origin }, storedText, storage, others } = editing
  const save = async (key: string, status: 2 | 6, path: string, id = fileId) => await post({ key, status, url: `${origin}/${path}` }, id)

  async function changeFromOutside (id: string, text: string): Promise<void> {
    if (options.memory) await storage.replace(id, Buffer.from(text))
    else await others.write(id, 'txt', text)
  }

  t.equal(await post({ key, status: 1 }), 0)
  await changeFromOutside(fileId, OUTSIDE)
  t.equal(await save(key, 6, 'first'), 0)
  const copyId = saved[0]!.conflictFileId!
  t.equal(await storedText(copyId), '/first')
  return {
    ...editing,
    paths,
    saved,
    save,
    copyId,
    copyKey: await openedKey(copyId),
    changeFromOutside,
    /** What is in which file. */
    expectCopies: async (...copies: ReadonlyArray<readonly [id: string, text: string]>) => {
      t.equal(await storedText(fileId), OUTSIDE)
      for (const [id, text] of copies) t.equal(await storedText(id), text)
    },
    /** Where the session's last save went. */
    lastCopy: () => saved.findLast(event => event.fileId === fileId)!.conflictFileId!
  }
}

for (const profile of profiles) {
  for (const [kept, stored] of [['in files', () => ({})], ['in the simplest storage', simplest]] as const) {
    t.test(`changes saved in a conflict copy survive the next save of the session that created it, ${kept} (${profile})`, async t => {
      const { key, copyId, copyKey, post, save, expectCopies, lastCopy } = await startConflict(t, { profile, ...stored() })
      t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
      t.equal(await save(copyKey, 2, 'hours', copyId), 0)
      t.equal(await save(key, 6, 'second'), 0)
      const another = lastCopy()
      t.not(another, copyId)
      await expectCopies([copyId, '/hours'], [another, '/second'])
      t.equal(await save(key, 2, 'third'), 0)
      t.equal(lastCopy(), another, 'which belongs to the session from then on')
      await expectCopies([copyId, '/hours'], [another, '/third'])
    })

    t.test(`changes another program made to a conflict copy survive the next save of the session that created it, ${kept} (${profile})`, async t => {
      const { key, copyId, save, changeFromOutside, expectCopies, lastCopy } = await startConflict(t, { profile, ...stored() })
      await changeFromOutside(copyId, 'by another program')
      t.equal(await save(key, 2, 'second'), 0)
      await expectCopies([copyId, 'by another program'], [lastCopy(), '/second'])
    })

    t.test(`an editor of a conflict copy saves into it, whatever the session that created it saves, ${kept} (${profile})`, async t => {
      const { key, copyId, copyKey, post, save, saved, expectCopies, lastCopy } = await startConflict(t, { profile, ...stored() })
      t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
      t.equal(await save(key, 2, 'second'), 0)
      await expectCopies([copyId, '/first'], [lastCopy(), '/second'])
      t.equal(await save(copyKey, 2, 'edited', copyId), 0)
      await expectCopies([copyId, '/edited'])
      t.notOk(saved.at(-1)!.conflict)
    })
  }

  t.test(`an editor of a conflict copy whose save was refused saves into it later, whatever the session that created it has saved (${profile})`, async t => {
    const { key, copyId, copyKey, openedKey, post, save, saved, expectCopies, lastCopy } = await startConflict(t, { profile })
    t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
    t.equal(await post({ key: copyKey, status: 2, url: 'nowhere' }, copyId), 1)
    t.equal(await save(key, 2, 'second'), 0)
    await expectCopies([copyId, '/first'], [lastCopy(), '/second'])
    t.equal(await openedKey(copyId), copyKey, 'which leads back to what was refused')
    t.equal(await save(copyKey, 2, 'edited', copyId), 0)
    await expectCopies([copyId, '/edited'])
    t.notOk(saved.at(-1)!.conflict)
  })

  t.test(`an editor that opens a conflict copy saves into it, even while a save of the session that created it is being fetched (${profile})`, async t => {
    const { key, copyId, copyKey, paths, post, save, saved, expectCopies, lastCopy } = await startConflict(t, { profile })
    paths.meanwhile = async () => t.equal(await post({ key: copyKey, status: 1 }, copyId), 0)
    t.equal(await save(key, 2, 'second'), 0)
    paths.meanwhile = async () => {}
    await expectCopies([copyId, '/first'], [lastCopy(), '/second'])
    t.equal(await save(copyKey, 2, 'edited', copyId), 0)
    await expectCopies([copyId, '/edited'])
    t.notOk(saved.at(-1)!.conflict)
  })

  t.test(`changes another program makes to a conflict copy while a save is being fetched are not lost (${profile})`, async t => {
    const { key, copyId, paths, save, changeFromOutside, expectCopies, lastCopy } = await startConflict(t, { profile })
    paths.meanwhile = async () => await changeFromOutside(copyId, 'by another program')
    t.equal(await save(key, 2, 'second'), 0)
    await expectCopies([copyId, 'by another program'], [lastCopy(), '/second'])
  })

  t.test(`a session that the document server has lost and begun anew does not replace the copy of what was lost (${profile})`, async t => {
    const { key, copyId, post, expectCopies, lastCopy, documentServer: { origin } } = await startConflict(t, { profile })
    t.equal(await post({ key, status: 6, lastsave: '2026-11-20T16:00:00.000Z', url: `${origin}/lost` }), 0)
    await expectCopies([copyId, '/lost'])
    const changes = [{ documentSha256: 'c55a', created: '2026-11-20 16:00:10', user: { id: 'u1', name: 'John' } }]
    const history = { serverVersion: '9.3.0', changes }
    t.equal(await post({ key, status: 2, lastsave: '2026-11-20T16:00:20.000Z', history, url: `${origin}/anew` }), 0)
    t.not(lastCopy(), copyId)
    await expectCopies([copyId, '/lost'], [lastCopy(), '/anew'])
  })

  t.test(`a save that tells its changes replaces the conflict copy of one that told none (${profile})`, async t => {
    const { key, copyId, post, expectCopies, lastCopy, documentServer: { origin } } = await startConflict(t, { profile })
    const history = { changes: [{ created: '2026-11-20 16:00:10', user: { id: 'u1' } }] }
    t.equal(await post({ key, status: 6, lastsave: '2026-11-20T16:00:20.000Z', history, url: `${origin}/second` }), 0)
    t.equal(lastCopy(), copyId)
    await expectCopies([copyId, '/second'])
  })

  t.test(`a finished save that was held up while its session went on does not replace the newer conflict copy (${profile})`, async t => {
    const { app, key, copyId, paths, post, saved, expectCopies, lastCopy, documentServer: { origin } } = await startConflict(t, { profile })
    t.equal(await post({ key, status: 6, lastsave: '2026-11-20T16:12:26.000Z', url: `${origin}/newer` }), 0)
    paths.meanwhile = async () => app.server.closeAllConnections() // the document server waits no longer
    await t.rejects(post({ key, status: 2, lastsave: '2026-11-20T16:12:23.000Z', url: `${origin}/older` }))
    while (saved.length < 3) await new Promise(resolve => setImmediate(resolve))
    t.not(lastCopy(), copyId)
    await expectCopies([copyId, '/newer'], [lastCopy(), '/older'])
  })

  t.test(`a conflict copy that was opened and closed without changes still belongs to the session that created it (${profile})`, async t => {
    const { key, copyId, copyKey, post, save, expectCopies, lastCopy } = await startConflict(t, { profile })
    for (const status of [1, 4]) t.equal(await post({ key: copyKey, status }, copyId), 0)
    t.equal(await save(key, 2, 'second'), 0)
    t.equal(lastCopy(), copyId)
    await expectCopies([copyId, '/second'])
  })

  t.test(`after a conflict copy was removed, the next save creates another, and nothing of the removed one is kept (${profile})`, async t => {
    const storage = await quickStorage(t)
    const { key, copyId, save, expectCopies, lastCopy } = await startConflict(t, { profile, memory: true, storage })
    await storage.remove(copyId)
    t.equal(await save(key, 2, 'second'), 0)
    await expectCopies([lastCopy(), '/second'])
    t.equal(await storage.state.get(copyId), null)
  })

  t.test(`two instances: a save into a conflict copy and one of the session that created it arrive at the same time: both are kept (${profile})`, async t => {
    const storage = await quickStorage(t)
    const first = await startConflict(t, { profile, memory: true, storage })
    const { fileId, copyId, copyKey, key, paths, save, expectCopies, documentServer: { origin } } = first
    const saved: SavedEvent[] = []
    const other = await startInstance(t, first, {
      profile,
      policies: { conflict: 'keep-both' },
      onSaved: event => { saved.push(event) },
      storage
    })
    const fetched = deferred()
    const release = deferred()
    paths.meanwhile = async path => {
      if (path !== '/hours') return
      fetched.resolve()
      await release.promise
    }
    const hours = save(copyKey, 2, 'hours', copyId)
    await fetched.promise
    t.equal(await other.post({ key, status: 6, url: `${origin}/second` }), 0)
    release.resolve()
    t.equal(await hours, 0)
    t.strictSame(saved.map(event => [event.fileId, event.conflictFileId]), [[fileId, copyId]])
    const { fileId: edited, conflictFileId } = first.saved.at(-1)!
    t.equal(edited, copyId, 'that session was not reported: its edits go to a conflict copy')
    await expectCopies([copyId, '/second'], [conflictFileId!, '/hours'])
  })

  t.test(`a save into a conflict copy that could not be noted is found there when it is repeated (${profile})`, async t => {
    const storage = memoryStorage()
    let isFull = false
    const { fileId, key, copyId, paths, save, expectCopies, lastCopy } = await startConflict(t, {
      profile,
      memory: true,
      storage: {
        ...storage,
        state: {
          ...storage.state,
          async set (id, value, version, options) {
            if (isFull && id === fileId && options?.durable !== false) throw new Error('No space left on device')
            return await storage.state.set(id, value, version, options)
          }
        }
      }
    })
    paths.meanwhile = async () => { isFull = true }
    t.equal(await save(key, 6, 'second'), 1)
    isFull = false
    paths.meanwhile = async () => {}
    t.equal(await save(key, 6, 'second'), 0)
    t.equal(lastCopy(), copyId)
    await expectCopies([copyId, '/second'])
    t.equal(await save(key, 2, 'third'), 0)
    t.equal(lastCopy(), copyId)
    await expectCopies([copyId, '/third'])
  })
}

/** Without state, and it can't tell a revision beforehand. */
function simplest (): EditingOptions {
  const { state, replace, ...storage } = memoryStorage()
  return {
    memory: true,
    storage: {
      ...storage,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await replace(fileId, content, options)
    }
  }
}
