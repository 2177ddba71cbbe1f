import t, { type Test } from 'tap'
import type { CallbackHistory, SavedEvent } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { OLD, profiles, startEditing, type EditingOptions } from '../kit/editing.js'

const EARLIER = '2026-11-20T16:12:23.000Z'
const TIME = '2026-11-20T16:12:26.000Z'
const LATER = '2026-11-20T16:12:31.000Z'

/** A document server whose saved files have their path as content. */
async function startSaving (t: Test, options: EditingOptions) {
  const editing = await startEditing(t, { serve: (request, response) => response.end(request.url), ...options })
  const { documentServer: { origin, requests }, key, post, storedText, fileId } = editing
  /** Posts a save; resolves to whether it was stored. Every one must be answered 0. */
  async function save (
    path: string,
    fields: { status: 2 | 6, lastsave?: string, key?: string, history?: CallbackHistory },
    { isFetched = false } = {}
  ): Promise<boolean> {
    const before = requests.length
    t.equal(await post({ key, ...fields, url: `${origin}/${path}` }), 0, `${path} is answered`)
    const stored = await storedText(fileId) === `/${path}`
    t.equal(requests.length, before + (stored || isFetched ? 1 : 0), `${path} is fetched only when it is stored`)
    return stored
  }
  return { ...editing, save }
}

for (const profile of profiles) {
  for (const [name, lastsave] of [['older', EARLIER], ['of the same time', TIME]] as const) {
    t.test(`a force save that arrives after the finished one and is ${name} is not stored (${profile})`, async t => {
      const { save, openedKey } = await startSaving(t, { profile })
      t.ok(await save('finished', { status: 2, lastsave: TIME }))
      const next = await openedKey()
      t.notOk(await save('late', { status: 6, lastsave }))
      t.equal(await openedKey(), next)
    })
  }

  for (const [name, lastsave] of [['older', EARLIER], ['of the same time', TIME]] as const) {
    t.test(`a force save that arrives after the finished one and is ${name} is not stored, even if an old report arrives before it (${profile})`, async t => {
      const { save, post, key, openedKey, storedText, fileId } = await startSaving(t, { profile })
      t.equal(await post({ key, status: 1 }), 0)
      t.ok(await save('finished', { status: 2, lastsave: TIME }))
      t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
      t.notOk(await save('late', { status: 6, lastsave }))
      t.equal(await storedText(fileId), '/finished')
      t.not(await openedKey(), key)
    })
  }

  for (
    const [name, conflict] of [['after the final save', 'keep-both'], ['after the final save', 'overwrite'], [
      'and nobody waits for the answer',
      'keep-both'
    ], ['and nobody waits for the answer', 'overwrite']] as const
  ) {
    t.test(`a finished save that was held up while its session went on, ${name}, does not replace what is newer: policies.conflict ${conflict} (${profile})`, async t => {
      const stored = deferred<SavedEvent>()
      let fetching = () => {}
      const { app, post, key, storedText, fileId, documentServer: { origin } } = await startEditing(t, {
        profile,
        policies: { conflict },
        onSaved: event => { if (event.conflict) stored.resolve(event) },
        serve (request, response) {
          fetching()
          response.end(request.url)
        }
      })
      t.equal(await post({ key, status: 1 }), 0)
      const isFinal = name === 'after the final save'
      t.equal(await post({ key, status: isFinal ? 2 : 6, lastsave: TIME, url: `${origin}/newer` }), 0)
      t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
      if (!isFinal) fetching = () => app.server.closeAllConnections()
      const posted = post({ key, status: 2, lastsave: EARLIER, url: `${origin}/older` })
      await (isFinal ? posted : t.rejects(posted))
      const { conflictFileId } = await stored.promise
      t.equal(await storedText(fileId), '/newer')
      t.equal(await storedText(conflictFileId!), '/older', 'the clock of the document server may have been set back')
      fetching = () => {}
      t.equal(await post({ key, status: 6, lastsave: LATER, url: `${origin}/newest` }), 0)
      t.equal(await storedText(fileId), '/newest', 'its session has gone on')
    })
  }

  t.test(`a finished save is stored so late that its session has gone on: what the session saves then continues it (${profile})`, async t => {
    const changes = [{ documentSha256: 'c55a', created: '2026-11-20 16:12:20', user: { id: 'u1', name: 'John' } }]
    const history = { serverVersion: '9.3.0', changes }
    const longer = { ...history, changes: [{ ...changes[0], documentSha256: 'd66b' }, { ...changes[0], created: '2026-11-20 16:12:26' }] }
    const { save, post, key, storedText, fileId, storage } = await startSaving(t, { profile, policies: { conflict: 'keep-both' } })
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0, 'somebody has joined again')
    t.ok(await save('late', { status: 2, lastsave: EARLIER, history }))
    t.ok(await save('forced', { status: 6, lastsave: TIME, history: longer }))
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    t.ok(await save('finished', { status: 2, lastsave: LATER, history }))

    t.ok(await save('again', { status: 2, lastsave: '2026-11-20T16:12:40.000Z', history }))
    await storage.replace(fileId, Buffer.from('changed from outside'))
    t.notOk(await save('conflict', { status: 2, lastsave: '2026-11-20T16:12:45.000Z', history }, { isFetched: true }))
    t.equal(await storedText(fileId), 'changed from outside')
  })

  t.test(`policies.conflict overwrite: the final save of a session that was held up does not replace what a later session has saved (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const { save, key, openedKey, post, storedText, fileId, storage, documentServer: { origin } } = await startSaving(
      t,
      {
        profile,
        policies: { conflict: 'overwrite' },
        onSaved: event => {
          saved.push(event)
        }
      }
    )
    await storage.replace(fileId, Buffer.from('changed from outside'))
    const later = await openedKey()
    t.not(later, key)
    t.ok(await save('later', { key: later, status: 2, lastsave: LATER }))
    t.equal(await post({ key, status: 2, lastsave: TIME, url: `${origin}/earlier` }), 0)
    t.equal(await storedText(fileId), '/later')
    t.equal(await storedText(saved.at(-1)!.conflictFileId!), '/earlier')
  })

  t.test(`policies.conflict overwrite: nor what a later session has saved after one of its saves was refused (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const { save, key, openedKey, post, storedText, fileId, storage, documentServer: { origin } } = await startSaving(
      t,
      {
        profile,
        policies: { conflict: 'overwrite', corrupted: 'keep' },
        onSaved: event => {
          saved.push(event)
        }
      }
    )
    await storage.replace(fileId, Buffer.from('changed from outside'))
    const later = await openedKey()
    t.equal(await post({ key: later, status: 3 }), 1)
    t.ok(await save('later', { key: later, status: 6, lastsave: LATER }))
    t.equal(await post({ key, status: 2, lastsave: TIME, url: `${origin}/earlier` }), 0)
    t.equal(await storedText(fileId), '/later')
    t.equal(await storedText(saved.at(-1)!.conflictFileId!), '/earlier')
  })

  t.test(`an earlier attempt at a finished save arrives after the one that was stored: the revision stays, for the next session (${profile})`, async t => {
    const { post, key, openedKey, fileId, storage, storedText, documentServer: { origin } } = await startSaving(t, {
      profile,
      policies: { conflict: 'keep-both' },
      serve: (_request, response) => response.end('saved')
    })
    const history = { changes: [{ created: '2026-11-20 16:12:20', user: { id: 'u1' } }] }
    t.equal(await post({ key, status: 2, lastsave: TIME, history, url: `${origin}/second-attempt` }), 0)
    const next = await openedKey()
    const { revision } = (await storage.stat(fileId))!
    t.equal(await post({ key, status: 2, lastsave: TIME, history, url: `${origin}/first-attempt` }), 0)
    t.equal((await storage.stat(fileId))!.revision, revision)
    t.equal(await storedText(fileId), 'saved')
    t.equal(await openedKey(), next)
  })

  t.test(`newer saves that arrive after the finished one, without a status 1 for the session, go to a conflict copy or overwrite, as configured (${profile})`, async t => {
    for (const status of [6, 2] as const) {
      const saved: SavedEvent[] = []
      const { save, storedText, fileId, openedKey, post, key, documentServer: { origin } } = await startSaving(t, {
        profile,
        onSaved: event => {
          saved.push(event)
        }
      })
      t.ok(await save('finished', { status: 2, lastsave: TIME }))
      const next = await openedKey()
      t.equal(await post({ key, status, lastsave: LATER, url: `${origin}/later` }), 0)
      t.equal(await storedText(fileId), profile === 'secure' ? '/finished' : '/later')
      if (profile === 'classic') continue
      t.equal(await storedText(saved.at(-1)!.conflictFileId!), '/later')
      t.equal(await openedKey(), next)
    }
  })

  t.test(`changes are discarded after the finished save: a newer save of the session is stored all the same (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const { save, post, key, storedText, fileId, documentServer: { origin } } = await startSaving(t, {
      profile,
      policies: { corrupted: 'discard' },
      onSaved: event => {
        saved.push(event)
      }
    })
    t.ok(await save('finished', { status: 2, lastsave: TIME }))
    t.equal(await post({ key, status: 3 }), 0)
    t.equal(await post({ key, status: 6, lastsave: LATER, url: `${origin}/later` }), 0)
    t.equal(await storedText(saved.at(-1)!.conflictFileId ?? fileId), '/later')
  })

  t.test(`a force save of the second in which a forgotten file was saved unchanged is not lost: only the time of that has milliseconds (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const { key, post, storedText, fileId, documentServer: { origin } } = await startSaving(t, {
      profile,
      policies: { conflict: 'keep-both' },
      onSaved: event => {
        saved.push(event)
      }
    })
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    t.equal(await post({ key, status: 2, lastsave: '2026-11-20T16:12:26.837Z', url: `${origin}/unchanged` }), 0)
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    const history = { changes: [{ created: '2026-11-20 16:12:26', user: { id: 'u1' } }] }
    t.equal(await post({ key, status: 6, lastsave: TIME, history, url: `${origin}/forced` }), 0)
    t.equal(await storedText(saved.at(-1)!.conflictFileId ?? fileId), '/forced')
  })

  t.test(`a force save older than the last one is not stored, one with the same time is (${profile})`, async t => {
    const { save, storedText, fileId, openedKey, key } = await startSaving(t, { profile })
    t.ok(await save('second', { status: 6, lastsave: TIME }))
    t.notOk(await save('first', { status: 6, lastsave: EARLIER }))
    t.equal(await storedText(fileId), '/second')
    t.ok(await save('again', { status: 6, lastsave: TIME }))
    t.ok(await save('third', { status: 6, lastsave: LATER }))
    t.notOk(await save('second', { status: 6, lastsave: TIME }), 'a repeat')
    t.notOk(await save('other', { status: 6, lastsave: TIME }))
    t.equal(await openedKey(), key)
    t.ok(await save('finished', { status: 2, lastsave: LATER }), 'the finished save is stored whatever its time')
  })

  t.test(`a repeat of a finished save is recognized however many force saves of the next session came in between (${profile})`, async t => {
    const told: unknown[] = []
    const { save, openedKey, storedText, fileId, listing } = await startSaving(t, { profile, onSaved: event => { told.push(event) } })
    t.ok(await save('finished', { status: 2, lastsave: TIME }))
    const next = await openedKey()
    const seconds = Array.from({ length: 20 }, (_, index) => 10 + index)
    for (const second of seconds) {
      t.ok(await save(`force-${second}`, { key: next, status: 6, lastsave: `2026-11-20T16:13:${second}.000Z` }))
    }
    const files = await listing()
    t.notOk(await save('finished', { status: 2, lastsave: TIME }))
    t.notOk(await save('late', { status: 6, lastsave: TIME }))
    t.equal(await storedText(fileId), '/force-29')
    t.strictSame(await listing(), files, 'it has not become a separate file')
    t.equal(told.length, 21)
    t.equal(await openedKey(), next)
  })
}

for (const [name, fields] of [['a 3 that is acknowledged', { status: 3 }], ['a 2 without a url', { status: 2 }]] as const) {
  t.test(`${name} while a force save is being stored: the session has ended, the force save is stored (classic)`, async t => {
    const fetched = deferred()
    const release = deferred()
    const { key, post, openedKey, storedText, fileId, documentServer: { origin } } = await startEditing(t, {
      profile: 'classic',
      async serve (_request, response) {
        fetched.resolve()
        await release.promise
        response.end('force save')
      }
    })
    t.equal(await post({ key, status: 1 }), 0)
    const saving = post({ key, status: 6, url: `${origin}/6`, lastsave: TIME })
    await fetched.promise
    const ending = post({ key, ...fields, lastsave: TIME })
    release.resolve()
    t.strictSame(await Promise.all([saving, ending]), [0, 0])
    t.equal(await storedText(fileId), 'force save')
    const next = await openedKey()
    t.not(next, key, 'the next editor gets another key')
    t.equal(await post({ key: next, status: 1 }), 0)
    t.equal(await openedKey(), next)
    t.not(await storedText(fileId), OLD)
  })
}
