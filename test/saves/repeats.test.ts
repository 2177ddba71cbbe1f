import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, OLD, profiles, startEditing, startInstance } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

/** The answer to a command. */
const UNKNOWN_KEY = '{"error":1}'

/** A document server whose saved files say which request fetched them. */
async function startCounting (t: Test, options: EditingOptions) {
  let fetched = 0
  const editing = await startEditing(t, { serve: ({ method }, response) => response.end(method === 'GET' ? `fetch ${++fetched}` : UNKNOWN_KEY), ...options })
  const { documentServer: { origin, requests }, post, storedText, fileId } = editing
  /** Posts a save; resolves to the answered error, the number of fetches and the content. */
  async function save (fields: { key?: string, status: 2 | 6, lastsave?: string }, path: string, query = '?md5=1&expires=1') {
    const error = await post({ ...fields, url: `${origin}${path}${query}` })
    return { error, fetches: requests.filter(path => !path.startsWith('/coauthoring/')).length, content: await storedText(fileId) }
  }
  return { ...editing, save }
}

for (const profile of profiles) {
  for (const status of [2, 6] as const) {
    t.test(`a repeated save (${status}) is acknowledged without fetching anything (${profile})`, async t => {
      const saved: unknown[] = []
      const { key, save, post, documentServer } = await startCounting(t, { profile, onSaved: event => { saved.push(event) } })
      const stored = { error: 0, fetches: 1, content: 'fetch 1' }
      t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), stored)
      t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), stored, 'word for word')
      t.strictSame(await save({ key, status }, '/cache/K_1/output.docx', '?md5=2&expires=2&shardkey=x'), stored, 'with a new signature')
      const elsewhere = documentServer.origin.replace('127.0.0.1', 'localhost') + '/cache/K_1/output.docx'
      if (profile === 'classic') t.equal(await post({ key, status, url: elsewhere }), 0, 'with another host')
      t.equal(documentServer.requests.length, 1)
      t.equal(saved.length, 1, 'onSaved is told once')
      t.equal(await post({ key, status: 1 }), 0)
      t.strictSame(await save({ key, status }, '/cache/K_2/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'another path is another save')
      t.strictSame(await save({ key, status }, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'an earlier one does not come back')
    })
  }

  t.test(`a save that is repeated to an instance that has not told of it is told of there, with its conflict copy, unless it was superseded (${profile})`, async t => {
    const saved: SavedEvent[] = []
    const editing = await startCounting(t, { profile, policies: { conflict: 'keep-both' }, onSaved: event => { saved.push(event) } })
    const { key, post, save, others, fileId, documentServer: { origin } } = editing
    const again: SavedEvent[] = []
    const other = await startInstance(t, editing, { profile, policies: { conflict: 'keep-both' }, onSaved: event => { again.push(event) } })
    const repeat = async (path: string) => t.equal(await other.post({ key, status: 6, url: `${origin}${path}` }), 0)
    t.equal(await post({ key, status: 1 }), 0)
    await save({ key, status: 6 }, '/first')
    await save({ key, status: 6 }, '/second')
    await repeat('/first')
    t.strictSame(again, [], 'a newer event tells of what is stored')
    await repeat('/second')
    t.strictSame(again, saved.slice(1))

    await others.write(fileId, 'txt', 'changed from outside')
    await save({ key, status: 6 }, '/third')
    await repeat('/third')
    t.strictSame(again, saved.slice(1))
    t.ok(again.at(-1)!.conflictFileId)
  })

  t.test(`a save of later changes is stored although its url has the path of an earlier one (${profile})`, async t => {
    const { key, save } = await startCounting(t, { profile })
    const earlier = { key, status: 6 as const, lastsave: '2026-11-20T16:12:26.000Z' }
    t.strictSame(await save(earlier, '/cache/K_1/output.docx'), { error: 0, fetches: 1, content: 'fetch 1' })
    t.strictSame(await save({ ...earlier, lastsave: '2026-11-20T16:12:31.000Z' }, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' })
    t.strictSame(await save(earlier, '/cache/K_1/output.docx'), { error: 0, fetches: 2, content: 'fetch 2' }, 'the earlier save is still recognized')
  })

  t.test(`a save posted again while it is being stored is fetched once (${profile})`, async t => {
    const fetched = deferred()
    const repeated = deferred()
    let callbacks = 0
    const { key, save } = await startCounting(t, {
      profile,
      onCallback: () => { if (++callbacks === 2) repeated.resolve() },
      async serve (_request, response) {
        fetched.resolve()
        await repeated.promise
        response.end('in full')
      }
    })
    const first = save({ key, status: 2 }, '/a')
    await fetched.promise
    const answers = await Promise.all([first, save({ key, status: 2 }, '/a', '?md5=2')])
    t.strictSame(answers, [{ error: 0, fetches: 1, content: 'in full' }, { error: 0, fetches: 1, content: 'in full' }])
  })

  t.test(`a save that failed is fetched again when it is repeated (${profile})`, async t => {
    let attempts = 0
    const { key, save } = await startCounting(t, {
      profile,
      serve: (_request, response) => ++attempts === 1 ? response.writeHead(500).end() : response.end('at last')
    })
    t.strictSame(await save({ key, status: 2 }, '/a'), { error: 1, fetches: 1, content: OLD })
    t.strictSame(await save({ key, status: 2 }, '/a', '?md5=2'), { error: 0, fetches: 2, content: 'at last' })
    t.strictSame(await save({ key, status: 2 }, '/a', '?md5=3'), { error: 0, fetches: 2, content: 'at last' })
  })

  t.test(`a finished save whose url has the path of a force save is stored (${profile})`, async t => {
    const { key, save } = await startCounting(t, { profile })
    t.strictSame(await save({ key, status: 6 }, '/a'), { error: 0, fetches: 1, content: 'fetch 1' })
    t.strictSame(await save({ key, status: 2 }, '/a'), { error: 0, fetches: 2, content: 'fetch 2' })
  })

  t.test(`a late force save of a session whose finished save is stored restores no old content (${profile})`, async t => {
    const { key, save, openedKey } = await startCounting(t, { profile })
    await save({ key, status: 6 }, '/force-1')
    const finished = { error: 0, fetches: 2, content: 'fetch 2' }
    t.strictSame(await save({ key, status: 2 }, '/finished'), finished)
    const next = await openedKey()
    t.strictSame(await save({ key, status: 6 }, '/force-2'), finished)
    t.strictSame(await save({ key, status: 6 }, '/force-1'), finished)
    t.equal(await openedKey(), next, 'and does not revive its key')
  })

  t.test(`a late or repeated save of a session after the next one has saved restores no old content (${profile})`, async t => {
    const { key, save, post, openedKey } = await startCounting(t, { profile })
    await save({ key, status: 2 }, '/finished')
    const next = await openedKey()
    t.not(next, key)
    t.equal(await post({ key: next, status: 1 }), 0)
    const forced = { error: 0, fetches: 2, content: 'fetch 2' }
    t.strictSame(await save({ key: next, status: 6 }, '/next'), forced)
    t.strictSame(await save({ key, status: 2 }, '/finished', '?md5=2'), forced)
    t.strictSame(await save({ key, status: 6 }, '/force-late'), forced)
    t.equal(await openedKey(), next)
    t.strictSame(await save({ key: next, status: 2 }, '/next-finished'), { error: 0, fetches: 3, content: 'fetch 3' })
    t.strictSame(await save({ key, status: 6 }, '/force-late'), { error: 0, fetches: 3, content: 'fetch 3' })
  })

  for (const isOpened of [true, false]) {
    t.test(`a key reopened after its refused copy was saved can be saved again, into a conflict copy since the page may still show the refused copy, ${isOpened ? 'and another page is opened' : 'and no other page is opened'} (${profile})`, async t => {
      const saved: SavedEvent[] = []
      const { key, save, post, storedText, openedKey } = await startCounting(t, { profile, policies: { conflict: 'keep-both' }, onSaved: event => { saved.push(event) } })
      t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
      await save({ key, status: 2, lastsave: '2026-11-20T16:12:26.000Z' }, '/forgotten-copy')
      const next = await openedKey()
      t.equal(await post({ key, status: 1 }), 0)
      if (isOpened) t.equal(await openedKey(), next)
      const stored = { error: 0, content: 'fetch 1' }
      const lastsave = '2026-11-20T16:12:31.000Z'
      t.match(await save({ key, status: 6, lastsave }, '/force'), stored)
      t.match(await save({ key, status: 2, lastsave }, '/finished'), stored)
      t.equal(await storedText(saved.at(-1)!.conflictFileId!), 'fetch 3')
    })
  }

  t.test(`the same url for another file is another save (${profile})`, async t => {
    const { key, save, post, openedKey, storage, storedText, documentServer } = await startCounting(t, { profile })
    const other = await storage.create('txt', Buffer.from(OLD))
    await save({ key, status: 2 }, '/a')
    t.equal(await post({ key: await openedKey(other.fileId), status: 2, url: `${documentServer.origin}/a` }, other.fileId), 0)
    t.equal(await storedText(other.fileId), 'fetch 2')
  })

  t.test(`saves without a key are all stored (${profile})`, async t => {
    // A token without a key is refused: only a service that requires none gets such saves.
    const { postCallback, storedText, fileId, documentServer } = await startCounting(t, { profile, requireToken: false })
    for (const content of ['fetch 1', 'fetch 2']) {
      t.equal((await postCallback(fileId, { status: 2, url: `${documentServer.origin}/a` })).body, '{"error":0}')
      t.equal(await storedText(fileId), content)
    }
  })
}
