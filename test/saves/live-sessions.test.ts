import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { memoryStorage, type SavedEvent, type Storage } from '../../lib/index.js'
import { NEW, OLD, profiles, startEditing, startInstance } from '../kit/editing.js'

for (const profile of profiles) {
  t.test(`two instances: everybody who opens the file joins the open session at either instance (${profile})`, async t => {
    const editing = await startEditing(t, { profile })
    const { key, documentServer: { origin } } = editing
    const other = await startInstance(t, editing, { profile })
    const expectKey = async (expected: string, message: string) => {
      t.strictSame([await editing.openedKey(), await other.openedKey()], [expected, expected], message)
    }
    await expectKey(key, 'nobody edits it')
    t.equal(await editing.post({ key, status: 1 }), 0)
    t.equal(await editing.post({ key, status: 6, url: `${origin}/6-1` }), 0)
    await expectKey(key, 'a force save at the one')
    t.equal(await other.post({ key, status: 6, url: `${origin}/6-2` }), 0)
    await expectKey(key, 'a force save at the other')
    t.equal(await other.post({ key, status: 2, url: `${origin}/2` }), 0)
    const next = await editing.openedKey()
    t.not(next, key)
    await expectKey(next, 'a finished save')
    t.equal(await editing.post({ key, status: 2, url: `${origin}/2?md5=again` }), 0)
    t.strictSame(editing.documentServer.requests.filter(path => !path.startsWith('/coauthoring/')), [
      '/6-1',
      '/6-2',
      '/2'
    ], 'a repeat at the first fetches nothing')
    await expectKey(next, 'a repeat')
  })

  t.test(`two instances: a save posted to both at once is stored once (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const onSaved = (event: SavedEvent) => { saved.push(event) }
    const editing = await startEditing(t, { profile, onSaved })
    const { key, documentServer: { origin, requests } } = editing
    const other = await startInstance(t, editing, { profile, onSaved })
    const save = { key, status: 2, url: `${origin}/2` }
    t.strictSame(await Promise.all([editing.post(save), other.post(save), editing.post(save), other.post(save)]), [0, 0, 0, 0])
    t.ok(requests.length <= 2, 'each fetches it at most once')
    t.ok(saved.length <= 2, 'each reports it at most once')
    t.equal(new Set(saved.map(({ id }) => id)).size, 1)
    t.equal(await editing.openedKey(), await other.openedKey())
    t.not(await other.openedKey(), key)
  })

  t.test(`two instances: a refused finished save keeps the key at both (${profile})`, async t => {
    let broken = true
    const editing = await startEditing(t, { profile, serve: (_request, response) => response.writeHead(broken ? 404 : 200).end(NEW) })
    const { key, url } = editing
    const other = await startInstance(t, editing, { profile })
    t.equal(await editing.post({ key, status: 1 }), 0)
    t.equal(await editing.post({ key, status: 2, url }), 1)
    t.strictSame([await editing.openedKey(), await other.openedKey()], [key, key])
    t.equal(await other.post({ key, status: 1 }), 0, 'it is opened again, at the other')
    broken = false
    t.equal(await other.post({ key, status: 2, url }), 0)
    t.not(await editing.openedKey(), key)
    t.equal(await editing.openedKey(), await other.openedKey())
  })

  t.test(`a restart during a force-saved session keeps its key and recognizes its saves (${profile})`, async t => {
    const told: unknown[] = []
    const editing = await startEditing(t, { profile })
    const { key, documentServer: { origin, requests } } = editing
    t.equal(await editing.post({ key, status: 1 }), 0)
    t.equal(await editing.post({ key, status: 6, url: `${origin}/6` }), 0)
    await editing.app.close()

    const restarted = await startInstance(t, editing, { profile, onSaved: event => { told.push(event) } })
    t.equal(await restarted.openedKey(), key)
    t.equal(await restarted.post({ key, status: 6, url: `${origin}/6?md5=again` }), 0)
    t.strictSame(requests, ['/6'])
    t.equal(await restarted.post({ key, status: 2, url: `${origin}/2` }), 0)
    t.strictSame(requests, ['/6', '/2'])
    t.match(
      told,
      [{ status: 6, conflict: undefined }, { status: 2, conflict: undefined }],
      'the force save before the restart does not count as a change from outside'
    )
    t.not(await restarted.openedKey(), key)
  })

  t.test(`a storage without state: a single instance follows the same rules (${profile})`, async t => {
    const { state, ...storage } = memoryStorage()
    const { key, openedKey, post, documentServer: { origin }, storedText, fileId } = await startEditing(t, { profile, memory: true, storage })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 6, url: `${origin}/6` }), 0)
    t.equal(await storedText(fileId), NEW)
    t.equal(await openedKey(), key)
    t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
    t.equal(await openedKey(), key, 'a refused save')
    t.equal(await post({ key, status: 2, url: `${origin}/2` }), 0)
    const next = await openedKey()
    t.not(next, key, 'a finished save')
    t.equal(await openedKey(), next)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    t.not(await openedKey(), next, 'a change from outside')
    const again = await startEditing(t, { profile, memory: true, storage })
    t.not(again.key, key, 'another process')
  })

  t.test(`a status 4 ends a session, and a late status 1 does not revive a finished one (${profile})`, async t => {
    const { key, openedKey, post, documentServer: { origin }, storage, fileId } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 4 }), 0)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    const second = await openedKey()
    t.not(second, key)
    t.equal(await post({ key: second, status: 2, url: `${origin}/2` }), 0)
    const third = await openedKey()
    t.equal(await post({ key: second, status: 1 }), 0)
    t.equal(await openedKey(), third, 'a late 1')
  })

  t.test(`when an old page reopens the key of a finished save, others get that key only if the document server knows the session (${profile})`, async t => {
    const told: SavedEvent[] = []
    const commands = { error: 1 }
    const { key, openedKey, post, documentServer: { origin } } = await startEditing(t, {
      profile,
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

  t.test(`a status 2 without a url is refused where changes are kept, and brought back by its key (${profile})`, async t => {
    const { key, openedKey, post, unchanged } = await startEditing(t, { profile, policies: { corrupted: 'keep' } })
    t.equal(await post({ key, status: 1 }), 0)
    for (const fields of [{}, { url: '' }]) t.equal(await post({ key, status: 2, ...fields }), 1)
    t.equal(await openedKey(), key)
    await unchanged(t, 'a 2 without a url')
  })

  t.test(`a status 2 without a url, where changes are discarded: the document server has ended the session, and the next key is new (${profile})`, async t => {
    const { key, openedKey, post, unchanged } = await startEditing(t, { profile, policies: { corrupted: 'discard' } })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 2 }), 0)
    const next = await openedKey()
    t.not(next, key)
    t.equal(await openedKey(), next)
    t.equal(await post({ key, status: 2 }), 0)
    t.equal(await openedKey(), next, 'a repeat')
    await unchanged(t, 'a 2 without a url')
  })

  t.test(`an acknowledged status 3 retires the key, a refused one keeps it until its changes are saved (${profile})`, async t => {
    const { key, openedKey, post, url, fileId, storedText } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    const error = await post({ key, status: 3 })
    t.equal(error, profile === 'secure' ? 1 : 0)
    const next = await openedKey()
    t[error === 1 ? 'equal' : 'not'](next, key)
    t.equal(await storedText(fileId), OLD)
    t.equal(await post({ key: next, status: 1 }), 0)
    t.equal(await post({ key: next, status: 2, url }), 0)
    t.notOk([key, next].includes(await openedKey()))
    t.equal(await storedText(fileId), NEW)
  })

  t.test(`after a refused status 3 new editors join the session, also when the file was changed from outside (${profile})`, async t => {
    const { key, openedKey, post, storage, fileId } = await startEditing(t, { profile, policies: { corrupted: 'keep' } })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 3 }), 1)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    t.equal(await openedKey(), key)
  })

  t.test(`a refused force save leaves its changes in the session: after a change from outside new editors get another key (${profile})`, async t => {
    const { key, openedKey, post, storage, fileId } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 6, url: 'nonsense' }), 1)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    t.not(await openedKey(), key)
  })

  t.test(`a force save without a url does not end the session (${profile})`, async t => {
    const { key, openedKey, post } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await post({ key, status: 6 }), 0)
    t.equal(await openedKey(), key)
  })

  t.test(`a storage whose revision is the content's digest: a finished save of the same bytes changes the key (${profile})`, async t => {
    const { key, openedKey, post, documentServer: { origin } } = await startEditing(t, {
      profile,
      memory: true,
      storage: byDigest(memoryStorage()),
      serve: (_request, response) => response.end(OLD)
    })
    const keys = [key]
    for (const save of [1, 2, 3]) {
      const current = keys.at(-1)!
      t.equal(await post({ key: current, status: 1 }), 0)
      t.equal(await post({ key: current, status: 2, url: `${origin}/${save}` }), 0)
      keys.push(await openedKey())
    }
    t.equal(new Set(keys).size, keys.length, 'no key is used twice')
    t.equal(await openedKey(), keys.at(-1))
  })

  t.test(`an editor that opens the file at any moment while its finished save is being stored gets a key that the others get too (${profile})`, async t => {
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
      const { key, openedKey, post, url } = await startEditing(t, {
        profile,
        memory: true,
        storage: { ...memory, stat: preceded(memory.stat), state: { ...memory.state, get: preceded(memory.state.get) } }
      })
      t.equal(await post({ key, status: 1 }), 0)
      accesses = 0
      meanwhile = async () => await post({ key, status: 2, url })
      const during = await openedKey()
      if (meanwhile !== undefined) break
      t.not(during, key, `${nth}: not the key of the finished session`)
      t.equal(during, await openedKey(), `${nth}: the same key as for a later editor`)
    }
  })
}

function byDigest (storage: Required<Pick<Storage, 'stat' | 'read' | 'create' | 'replace' | 'state'>>): Storage {
  async function stat (fileId: string) {
    const file = await storage.read(fileId)
    return file && { ...file.info, revision: createHash('sha256').update(await buffer(file.body)).digest('hex') }
  }
  return {
    state: storage.state,
    stat,
    read: storage.read,
    create: async (...given) => (await stat((await storage.create(...given)).fileId))!,
    async replace (fileId, content, { beforePublish, ifRevision, ...options } = {}) {
      return await storage.replace(fileId, content, options) && await stat(fileId)
    }
  }
}
