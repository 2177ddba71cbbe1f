import t from 'tap'
import { fileStorage, memoryStorage, type SavedEvent, type StateStore, type Storage } from '../../lib/index.js'
import { directoryOf, NEW, OLD, profiles, startEditing, startInstance } from '../kit/editing.js'
import { answerWith } from '../kit/http.js'
import { deferred } from '../kit/time.js'

for (const profile of profiles) {
  t.test(`a save that cannot be noted is refused, and nothing is stored (${profile})`, async t => {
    const memory = memoryStorage()
    const storage: Storage = { ...memory, state: { ...memory.state, set: async () => { throw new Error('no space left on device') } } }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    for (const status of [6, 2]) t.equal(await post({ key, status, url }), 1)
    t.equal(await storedText(fileId), OLD)
  })

  t.test(`a save whose record cannot be read is refused with the storage's error, and onSaveFailed is called (${profile})`, async t => {
    const memory = memoryStorage()
    let isBroken = false
    const get: NonNullable<Storage['state']>['get'] = async fileId => {
      if (isBroken) throw Object.assign(new Error('the state failed'), { code: 'STATE' })
      return await memory.state.get(fileId)
    }
    const codes: string[] = []
    const { key, post, url, fileId, storedText } = await startEditing(t, {
      profile,
      memory: true,
      storage: { ...memory, state: { ...memory.state, get } },
      onSaveFailed: ({ code }) => { codes.push(code) }
    })
    isBroken = true
    t.equal(await post({ key, status: 2, url }), 1)
    t.strictSame(codes, ['STATE'])
    t.equal(await storedText(fileId), OLD)
  })

  t.test(`a save that is published but cannot be noted afterwards is accepted when its lock names it, and its repeat is recognized (${profile})`, async t => {
    const memory = memoryStorage()
    let isFull = false
    const reads = countedReads(memory.state)
    const storage: Storage = {
      ...memory,
      state: failingOnFullDisk(reads.state, () => isFull)
    }
    const { key, post, url, fileId, storedText, openedKey, documentServer } = await startEditing(t, { profile, memory: true, storage })
    isFull = true
    t.equal(await post({ key, status: 2, url }), 0)
    isFull = false
    t.equal(await storedText(fileId), NEW)
    reads.count = 0
    t.equal(await post({ key, status: 2, url }), 0)
    t.ok(reads.count < 20, 'the lock is not polled')
    t.equal(documentServer.requests.length, 1)
    t.not(await openedKey(), key)
  })

  t.test(`a final save after a refused one is stored and cannot be noted: once its repeat is acknowledged, whoever comes gets another key (${profile})`, async t => {
    const memory = memoryStorage()
    let isFull = false
    const { key, post, url, openedKey, documentServer: { origin } } = await startEditing(t, {
      profile,
      memory: true,
      storage: { ...memory, state: failingOnFullDisk(memory.state, () => isFull) },
      saveRetries: 0,
      serve: ({ method, url }, response) => url === '/missing' ? response.writeHead(404).end() : response.end(method === 'GET' ? NEW : '{"error":0}')
    })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 2, url: `${origin}/missing` }), 1)
    t.equal(await openedKey(), key)
    t.equal(await post({ key, status: 1 }), 0)
    isFull = true
    t.equal(await post({ key, status: 2, url }), 0)
    isFull = false
    t.equal(await post({ key, status: 2, url }), 0)
    t.not(await openedKey(), key)
  })

  t.test(`a final save that could not be noted may not have been answered: its session goes on if users are in it (${profile})`, async t => {
    const memory = memoryStorage()
    let isFull = false
    const { key, post, url, openedKey } = await startEditing(t, {
      profile,
      memory: true,
      storage: { ...memory, state: failingOnFullDisk(memory.state, () => isFull) },
      serve: ({ method }, response) => response.end(method === 'GET' ? NEW : '{"error":0,"users":["u1"]}')
    })
    t.equal(await post({ key, status: 1 }), 0)
    isFull = true
    t.equal(await post({ key, status: 2, url }), 0)
    isFull = false
    t.equal(await openedKey(), key)
  })

  t.test(`with a storage that never calls beforePublish, a force save that was fetched for long does not replace an unchanged final one (${profile})`, async t => {
    const memory = memoryStorage()
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) =>
        await memory.replace(fileId, content, options)
    }
    const fetching = deferred()
    const release = deferred()
    const editing = await startEditing(t, {
      profile,
      memory: true,
      storage,
      async serve (request, response) {
        if (request.url !== '/force') return response.end(OLD)
        fetching.resolve()
        await release.promise
        response.end(NEW)
      }
    })
    const { key, post, storedText, fileId, documentServer: { origin } } = editing
    const other = await startInstance(t, editing, { profile, storage })
    t.equal(await post({ key, status: 1 }), 0)
    const forced = post({ key, status: 6, lastsave: '2026-11-20T16:12:26.000Z', url: `${origin}/force` })
    await fetching.promise
    t.equal(await other.post({ key, status: 2, lastsave: '2026-11-20T16:12:31.000Z', notmodified: true, url: `${origin}/final` }), 0)
    release.resolve()
    t.equal(await forced, 0)
    t.equal(await storedText(fileId), OLD)
  })

  t.test(`noting a published save is retried (${profile})`, async t => {
    const memory = memoryStorage()
    let failures = 2
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, options),
      state: failingOnFullDisk(memory.state, () => failures-- > 0)
    }
    const { key, post, url, fileId, storedText, openedKey } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 2, url }), 0)
    t.ok(failures < 0, 'after two failures')
    t.equal(await storedText(fileId), NEW)
    t.not(await openedKey(), key)
  })

  t.test(`noting a published save fails, and another instance breaks the lock before it is retried: what that notes is kept (${profile})`, async t => {
    const memory = memoryStorage()
    const other = { key: 'of another instance', state: 'open', lastReported: Date.now() }
    let isBroken = false
    const storage: Storage = {
      ...memory,
      state: {
        ...memory.state,
        async set (fileId, value, version, options) {
          if (isBroken || (await memory.stat(fileId))?.size !== NEW.length) return await memory.state.set(fileId, value, version, options)
          isBroken = true
          await memory.state.set(fileId, { format: 1, sessions: [other], saves: [] }, version)
          throw new Error('no space left on device')
        }
      }
    }
    const { key, post, url, fileId, openedKey } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 2, url }), 0)
    t.ok(isBroken)
    t.match((await memory.state.get(fileId))?.value, { sessions: [other], saves: [{ key }] })
    t.not(await openedKey(), key)
  })

  t.test(`a record that another instance changes just before publication: the save is decided again, and fetched once (${profile})`, async t => {
    const memory = memoryStorage()
    let replaces = 0
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, {
        ...options,
        async beforePublish (info, ticket) {
          if (++replaces === 1) await memory.state.set(fileId, { format: 1, sessions: [], saves: [] }, (await memory.state.get(fileId))?.version ?? null)
          await beforePublish?.(info, ticket)
        }
      })
    }
    const { key, post, url, fileId, storedText, documentServer } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(replaces, 2)
    t.equal(documentServer.requests.length, 1)
    t.equal(await storedText(fileId), NEW)
  })

  t.test(`a record that another instance changes just before the end of an unchanged session is noted: the end is noted all the same (${profile})`, async t => {
    const memory = memoryStorage()
    let isOvertaken = false
    const storage: Storage = {
      ...memory,
      state: {
        ...memory.state,
        async set (fileId, value, version, options) {
          if (isOvertaken) await memory.state.set(fileId, { format: 1, sessions: [], saves: [] }, version)
          isOvertaken = false
          return await memory.state.set(fileId, value, version, options)
        }
      }
    }
    const { key, post, url, openedKey } = await startEditing(t, { profile, memory: true, storage, serve: answerWith(OLD) })
    t.equal(await post({ key, status: 1 }), 0)
    isOvertaken = true
    t.equal(await post({ key, status: 2, notmodified: true, url }), 0)
    t.notOk(isOvertaken)
    t.not(await openedKey(), key)
  })

  t.test(`a lock whose acquisition is reported as failed counts as held: the save is published once (${profile})`, async t => {
    const memory = memoryStorage()
    let replaces = 0
    const storage: Storage = {
      ...memory,
      async replace (...given) {
        replaces++
        return await memory.replace(...given)
      },
      state: {
        ...memory.state,
        async set (fileId, value, version, options) {
          const stored = await memory.state.set(fileId, value, version, options)
          return (value as { lock?: unknown }).lock === undefined ? stored : null
        }
      }
    }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(replaces, 1)
    t.equal(await storedText(fileId), NEW)
  })

  t.test(`when publishing fails, the record has no lock afterwards: other instances need not wait (${profile})`, async t => {
    const memory = memoryStorage()
    let isBroken = true
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, {
        ...options,
        async beforePublish (info, ticket) {
          await beforePublish?.(info, ticket)
          if (isBroken) throw new Error('no space left on device')
        }
      })
    }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 2, url }), 1)
    t.notOk(Object.hasOwn((await memory.state.get(fileId))!.value as object, 'lock'))
    t.equal(await storedText(fileId), OLD)
    isBroken = false
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(await storedText(fileId), NEW)
  })

  t.test(`when a conflict copy cannot be stored, the record has no lock afterwards (${profile})`, async t => {
    const memory = memoryStorage()
    let isBroken = false
    const storage: Storage = {
      ...memory,
      async create (...given) {
        if (isBroken) throw new Error('no space left on device')
        return await memory.create(...given)
      }
    }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage, policies: { conflict: 'keep-both' } })
    t.equal(await post({ key, status: 1 }), 0)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    isBroken = true
    t.equal(await post({ key, status: 6, url }), 1)
    const { value } = (await memory.state.get(fileId))!
    t.notOk(Object.hasOwn(value as object, 'lock'))
    isBroken = false
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(await storedText(fileId), 'changed from outside')
  })

  for (const [name, failing] of [['a save cannot be published', 'replace'], ['a conflict copy cannot be stored', 'create']] as const) {
    t.test(`when ${name}, nor its lock released, the next save does not wait for that lock (${profile})`, async t => {
      const memory = memoryStorage()
      let isBroken = false
      let isLocked = false
      const reads = countedReads(memory.state)
      const storage: Storage = {
        ...memory,
        async create (...given) {
          if (isBroken) throw new Error('no space left on device')
          return await memory.create(...given)
        },
        replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, {
          ...options,
          async beforePublish (info, ticket) {
            await beforePublish?.(info, ticket)
            if (isBroken) throw new Error('no space left on device')
          }
        }),
        state: {
          ...reads.state,
          async set (fileId, value, version, options) {
            if (isBroken && isLocked) throw new Error('no space left on device')
            isLocked ||= isBroken
            return await memory.state.set(fileId, value, version, options)
          }
        }
      }
      const { key, post, url, fileId } = await startEditing(t, { profile, memory: true, storage, policies: { conflict: 'keep-both' } })
      t.equal(await post({ key, status: 1 }), 0)
      if (failing === 'create') await memory.replace(fileId, Buffer.from('changed from outside'))
      isBroken = true
      t.equal(await post({ key, status: 6, url }), 1)
      t.ok(Object.hasOwn((await memory.state.get(fileId))!.value as object, 'lock'))
      isBroken = false
      reads.count = 0
      t.equal(await post({ key, status: 6, url }), 0)
      t.ok(reads.count < 20, 'the lock is not polled')
    })
  }

  t.test(`a storage that finds another revision after beforePublish: the lock is released, and the save is decided again at once (${profile})`, async t => {
    const memory = memoryStorage()
    const reads = countedReads(memory.state)
    let replaces = 0
    const storage: Storage = {
      ...memory,
      async replace (fileId, content, options) {
        replaces++
        if (replaces > 1) return await memory.replace(fileId, content, options)
        await options?.beforePublish?.({ ...(await memory.stat(fileId))!, revision: 'next' })
        return null
      },
      state: reads.state
    }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    reads.count = 0
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(await storedText(fileId), NEW)
    t.equal(replaces, 2)
    t.ok(reads.count < 20, 'the lock is not polled')
  })

  t.test(`a storage that calls beforePublish twice: the lock is released, and the save is decided again at once (${profile})`, async t => {
    const memory = memoryStorage()
    const reads = countedReads(memory.state)
    let replaces = 0
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, {
        ...options,
        async beforePublish (info, ticket) {
          await beforePublish?.(info, ticket)
          if (++replaces === 1) await beforePublish?.(info, ticket)
        }
      }),
      state: reads.state
    }
    const { key, post, url, fileId, storedText } = await startEditing(t, { profile, memory: true, storage })
    reads.count = 0
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(await storedText(fileId), NEW)
    t.ok(reads.count < 30, 'the lock is not polled')
  })

  t.test(`with a storage that cannot announce a revision, a save that cannot be noted afterwards is refused, and its repeat is recognized by its bytes (${profile})`, async t => {
    const { stage, ...memory } = memoryStorage()
    let isFull = false
    const storage: Storage = {
      ...memory,
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await memory.replace(fileId, content, options),
      state: failingOnFullDisk(memory.state, () => isFull)
    }
    const saved: SavedEvent[] = []
    const { key, post, url, fileId, storedText, openedKey } = await startEditing(t, {
      profile,
      memory: true,
      storage,
      policies: { conflict: 'keep-both' },
      onSaved: event => {
        saved.push(event)
      }
    })
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
    const [first, further, anew] = saved.map(({ conflictFileId }) => conflictFileId!)
    t.equal(further, first)
    t.not(anew, first)
    t.equal(await storedText(first!), '/further')
    t.equal(await storedText(anew!), '/anew')
  })
}

/** How often the record of any file was read: a lock that others wait for is polled. */
function countedReads (state: StateStore) {
  const reads = {
    count: 0,
    state: {
      ...state,
      async get (fileId: string) {
        reads.count++
        return await state.get(fileId)
      }
    }
  }
  return reads
}

/** Refuses durable writes while the disk is full. */
function failingOnFullDisk (state: StateStore, isFull: () => boolean): StateStore {
  return {
    ...state,
    async set (fileId, value, version, options) {
      if (options?.durable !== false && isFull()) throw new Error('no space left on device')
      return await state.set(fileId, value, version, options)
    }
  }
}

t.test('an instance that was taken for dead publishes just before it is revoked: its session goes on with what it has published', async t => {
  const directory = directoryOf(t)
  const [publishing, release, published, end] = [deferred(), deferred(), deferred(), deferred()]
  const files = fileStorage({ directory })
  const editing = await startEditing(t, {
    storage: {
      ...files,
      state: { ...files.state, owner: 'a' },
      async replace (fileId, content, { beforePublish, ...options } = {}) {
        const info = await files.replace(fileId, content, {
          ...options,
          async beforePublish (...given) {
            await beforePublish?.(...given)
            publishing.resolve()
            await release.promise
          }
        })
        published.resolve()
        await end.promise
        return info
      }
    },
    serve: (request, response) => response.end(request.url)
  })
  const { key, post, fileId, storedText, documentServer: { origin } } = editing
  const others = fileStorage({ directory })
  const saved: SavedEvent[] = []
  const other = await startInstance(t, editing, {
    storage: {
      ...others,
      state: { ...others.state, owner: 'b', hasEnded: owner => owner === 'a' },
      async revoke (...given) {
        release.resolve()
        await published.promise
        await others.revoke(...given)
      }
    },
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 1 }), 0)
  const first = post({ key, status: 6, url: `${origin}/first` })
  await publishing.promise
  t.equal(await other.post({ key, status: 6, url: `${origin}/second` }), 0)
  t.match(saved, [{ fileId, conflict: undefined }])
  t.equal(await storedText(fileId), '/second')
  end.resolve()
  t.equal(await first, 0)
})

/** So often an instance reads a record only if it waits for its lock. */
const MANY_READS = 20

/** The storage of an instance that takes others for dead, and that stops when it is about to publish. */
function instanceOf (directory: string, owner: string, dead: readonly string[] = []) {
  const files = fileStorage({ directory })
  const [publishing, release, waiting] = [deferred(), deferred(), deferred()]
  let reads = -Infinity
  return {
    publishing: publishing.promise,
    release: release.resolve,
    /** Whether a save ends, or waits for the lock from now on. */
    async endsOrWaits (saving: Promise<unknown>): Promise<string> {
      reads = 0
      return await Promise.race([saving.then(() => 'it ends'), waiting.promise.then(() => 'it waits')])
    },
    storage: {
      ...files,
      state: {
        ...files.state,
        owner,
        hasEnded: (other: string) => dead.includes(other),
        async get (fileId: string) {
          if (++reads === MANY_READS) waiting.resolve()
          return await files.state.get(fileId)
        }
      },
      replace: async (fileId, content, { beforePublish, ...options } = {}) => await files.replace(fileId, content, {
        ...options,
        async beforePublish (...given) {
          await beforePublish?.(...given)
          publishing.resolve()
          await release.promise
        }
      })
    } satisfies Storage
  }
}

t.test('an instance that was taken for dead goes on: it leaves the lock to whoever has it now, and stores its save afterwards', async t => {
  const fetched: unknown[] = []
  const [a, b] = [instanceOf(directoryOf(t), 'a'), instanceOf(directoryOf(t), 'b', ['a'])]
  const editing = await startEditing(t, {
    storage: a.storage,
    serve (request, response) {
      fetched.push(request.url)
      response.end(request.url)
    }
  })
  const { key, post, fileId, storedText, documentServer: { origin } } = editing
  const other = await startInstance(t, editing, { storage: b.storage })
  t.equal(await post({ key, status: 1 }), 0)
  const first = post({ key, status: 6, url: `${origin}/first` })
  await a.publishing
  const second = other.post({ key, status: 6, url: `${origin}/second` })
  await b.publishing
  a.release()
  t.equal(await a.endsOrWaits(first), 'it waits')
  b.release()
  t.strictSame(await Promise.all([first, second]), [0, 0])
  t.equal(await storedText(fileId), '/first')
  t.strictSame(fetched, ['/first', '/second', '/first'])
})

t.test('an instance is taken for dead while it breaks a lock: it leaves the lock to whoever has it now', async t => {
  const [breaking, goOn] = [deferred(), deferred()]
  const [b, c] = [instanceOf(directoryOf(t), 'b', ['a']), instanceOf(directoryOf(t), 'c', ['a', 'b'])]
  const editing = await startEditing(t, { storage: c.storage, serve: (request, response) => response.end(request.url) })
  const { key, post, fileId, storedText, documentServer: { origin } } = editing
  const other = await startInstance(t, editing, {
    storage: {
      ...b.storage,
      async revoke () {
        breaking.resolve()
        await goOn.promise
      }
    }
  })
  t.equal(await post({ key, status: 1 }), 0)
  const { value, version } = (await c.storage.state.get(fileId))!
  await c.storage.state.set(fileId, { ...value as object, lock: { id: 'of a dead instance', owner: 'a', publishing: { ticket: 'unknown' } } }, version)
  b.release()
  const second = other.post({ key, status: 6, url: `${origin}/second` })
  await breaking.promise
  const third = post({ key, status: 6, url: `${origin}/third` })
  await c.publishing
  goOn.resolve()
  t.equal(await b.endsOrWaits(second), 'it waits')
  c.release()
  t.strictSame(await Promise.all([second, third]), [0, 0])
  t.equal(await storedText(fileId), '/second')
})

t.test('a save without a key is published with the lock, and nothing is noted of it (classic)', async t => {
  const memory = memoryStorage()
  const locks: boolean[] = []
  const storage: Storage = {
    ...memory,
    state: {
      ...memory.state,
      async set (fileId, value, ...rest) {
        locks.push('lock' in (value as object))
        return await memory.state.set(fileId, value, ...rest)
      }
    }
  }
  const { post, url, fileId, storedText } = await startEditing(t, { profile: 'classic', memory: true, storage })
  t.equal(await post({ status: 2, url }), 0)
  t.equal(await storedText(fileId), NEW)
  t.strictSame(locks, [true, false])
  t.match((await memory.state.get(fileId))?.value, { saves: [] })
})
