import t, { type Test } from 'tap'
import type { CallbackHistory, SavedEvent } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { startEditing, type EditingOptions } from '../kit/editing.js'

const EARLIER = '2026-11-20T16:12:23.000Z'
const TIME = '2026-11-20T16:12:26.000Z'
const LATER = '2026-11-20T16:12:31.000Z'

/** A document server whose saved files have their path as content. */
async function startSaving (t: Test, options: EditingOptions = {}) {
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

for (const [name, lastsave] of [['older', EARLIER], ['of the same time', TIME]] as const) {
  t.test(`a force save that arrives after the finished one and is ${name} is not stored`, async t => {
    const { save, openedKey } = await startSaving(t)
    t.ok(await save('finished', { status: 2, lastsave: TIME }))
    const next = await openedKey()
    t.notOk(await save('late', { status: 6, lastsave }))
    t.equal(await openedKey(), next)
  })
}

for (const [name, conflict] of [['after the final save', 'keep-both'], ['after the final save', 'overwrite'], [
  'and nobody waits for the answer', 'keep-both'
], ['and nobody waits for the answer', 'overwrite']] as const) {
  t.test(`a finished save that was held up while its session went on, ${name}, does not replace what is newer: policies.conflict ${conflict}`, async t => {
    const stored = deferred<SavedEvent>()
    let fetching = () => {}
    const { app, post, key, storedText, fileId, documentServer: { origin } } = await startEditing(t, {
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
    const copyId = (await stored.promise).stored.fileId
    t.equal(await storedText(fileId), '/newer')
    t.equal(await storedText(copyId), '/older', 'the clock of the document server may have been set back')
    fetching = () => {}
    t.equal(await post({ key, status: 6, lastsave: LATER, url: `${origin}/newest` }), 0)
    t.equal(await storedText(fileId), '/newest', 'its session has gone on')
  })
}

t.test('policies.conflict overwrite: the final save of a session that was held up does not replace what a later session has saved', async t => {
  const saved: SavedEvent[] = []
  const { save, key, openedKey, post, storedText, fileId, storage, documentServer: { origin } } = await startSaving(
    t,
    {
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
  t.equal(await storedText(saved.at(-1)!.stored.fileId), '/earlier')
})

for (const [name, lastsave, isContinued] of [['older than', EARLIER, true], ['newer than', '2026-11-20T16:12:40.000Z', false]] as const) {
  t.test(`a force save ${name} a refused final save is stored: ${isContinued ? 'whoever opens the document gets what was refused' : 'what was refused would replace it'}`, async t => {
    const { post, storedText, fileId, key, openedKey, documentServer: { origin } } = await startEditing(t, {
      serve (request, response) {
        response.statusCode = request.url === '/forced' ? 200 : 404 // nor does it answer commands
        response.end(request.url)
      }
    })
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    t.equal(await post({ key, status: 2, url: `${origin}/final`, lastsave: LATER }), 1)
    t.equal(await post({ key, status: 6, url: `${origin}/forced`, lastsave }), 0)
    t.equal(await storedText(fileId), '/forced')
    t.equal(await openedKey() === key, isContinued)
  })
}

t.test('a force save older than the last one is not stored, one with the same time is', async t => {
  const { save, storedText, fileId, openedKey, key } = await startSaving(t)
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

t.test('a repeat of a finished save is recognized however many force saves of the next session came in between', async t => {
  const told: unknown[] = []
  const { save, openedKey, storedText, fileId, listing } = await startSaving(t, { onSaved: event => { told.push(event) } })
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
