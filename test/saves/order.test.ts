import { once } from 'node:events'
import t from 'tap'
import { bodyFor, OLD, profiles, startEditing } from '../kit/editing.js'
import { memoryLog, WARN } from '../kit/log.js'
import { deferred, holdTimers } from '../kit/time.js'

/** For so long a callback waits for an earlier save, if it changes something. */
const ANSWER_AFTER_MS = 1000

for (const profile of profiles) {
  for (const memory of [false, true]) {
    t.test(`a slow save followed by a fast one: the later arrival wins, and another file is not delayed (${profile}, ${memory ? 'memory' : 'files'})`, async t => {
      const firstFetched = deferred()
      const release = deferred()
      const secondArrived = deferred()
      const editing = await startEditing(t, {
        profile,
        memory,
        onCallback: ({ userdata }) => { if (userdata === 'second') secondArrived.resolve() },
        async serve (request, response) {
          response.write(`content of ${request.url} `)
          if (request.url === '/first') {
            firstFetched.resolve()
            await release.promise
          }
          response.end('in full')
        }
      })
      const { fileId, key, documentServer: { origin, requests } } = editing
      const other = await editing.storage.create('txt', Buffer.from(OLD))

      const first = editing.post({ key, status: 6, url: `${origin}/first` })
      await firstFetched.promise
      const second = editing.post({ key, status: 2, url: `${origin}/second`, userdata: 'second' })
      await secondArrived.promise

      t.equal(
        await editing.post(
          { key: await editing.openedKey(other.fileId), status: 2, url: `${origin}/other` },
          other.fileId
        ),
        0,
        'another file is saved meanwhile'
      )
      t.equal(await editing.storedText(other.fileId), 'content of /other in full')
      t.equal(await editing.post({ key, status: 1, users: ['u1'] }), 0, 'other callbacks for the file are answered meanwhile')
      t.equal(await editing.storedText(fileId), OLD)
      t.strictSame(requests, ['/first', '/other'], 'the second has to wait')

      release.resolve()
      t.strictSame(await Promise.all([first, second]), [0, 0])
      t.equal(await editing.storedText(fileId), 'content of /second in full')
      t.strictSame(requests, ['/first', '/other', '/second'])
    })
  }

  for (const slow of ['authorize', 'onCallback'] as const) {
    t.test(`saves are applied in order of arrival, however long ${slow} takes for the first (${profile})`, async t => {
      const firstArrived = deferred()
      const secondArrived = deferred()
      const release = deferred()
      let calls = 0
      async function wait (): Promise<undefined> {
        calls++
        if (calls === 1) {
          firstArrived.resolve()
          await release.promise
        } else if (calls === 2) {
          secondArrived.resolve()
        }
      }
      const editing = await startEditing(t, { profile, [slow]: wait, serve: (request, response) => response.end(request.url) })
      const { fileId, key, documentServer: { origin, requests } } = editing
      const other = await editing.storage.create('txt', Buffer.from(OLD))

      const first = editing.post({ key, status: 6, url: `${origin}/first` })
      await firstArrived.promise
      const second = editing.post({ key, status: 6, url: `${origin}/second` })
      await secondArrived.promise
      t.equal(
        await editing.post(
          { key: await editing.openedKey(other.fileId), status: 2, url: `${origin}/other` },
          other.fileId
        ),
        0,
        'another file is saved meanwhile'
      )

      release.resolve()
      t.strictSame(await Promise.all([first, second]), [0, 0])
      t.strictSame(requests, ['/other', '/first', '/second'])
      t.equal(await editing.storedText(fileId), '/second')
    })
  }

  t.test(`callbacks that change nothing are answered at once and logged while an earlier save is stored (${profile})`, async t => {
    const log = memoryLog()
    const timers = holdTimers(t, ANSWER_AFTER_MS)
    const firstFetched = deferred()
    const release = deferred()
    const editing = await startEditing(t, {
      profile,
      server: log.server,
      policies: { corrupted: 'keep' },
      async serve (_request, response) {
        firstFetched.resolve()
        await release.promise
        response.end('first')
      }
    })
    const { fileId, key, url } = editing
    const first = editing.post({ key, status: 6, url })
    await firstFetched.promise
    const answered: number[] = []
    const post = async (status: number) => {
      await editing.post({ key, status })
      answered.push(status)
    }
    const started = post(1)
    for (const status of [7, 5, 6]) await post(status)
    t.strictSame(answered, [7, 5, 6], 'a status 1 waits for a second')
    timers.pass()
    await Promise.all([started, post(3)])
    t.strictSame(answered.slice(0, 4), [7, 5, 6, 1])
    t.match(log.records().filter(record => record.level >= WARN && record.fileId === fileId), [
      { fileId, status: 7, outcome: 'not-assembled', msg: /could not assemble a force save/ },
      { fileId, status: 6, outcome: 'empty', msg: /without a url/ },
      { fileId, key, msg: /could not assemble/ },
      { err: { code: 'FST_EDITOR_CORRUPTED_DOCUMENT' } }
    ])
    release.resolve()
    t.equal(await first, 0)
    t.equal(await editing.post({ key, status: 6, url }), 0, 'a repeat, answered when all earlier callbacks have been applied')
    t.equal(await editing.storedText(fileId), 'first')
  })

  t.test(`a save waits for an earlier one, also when a callback between them was denied (${profile})`, async t => {
    const firstFetched = deferred()
    const secondArrived = deferred()
    const release = deferred()
    const editing = await startEditing(t, {
      profile,
      authorize: request => request.headers['x-denied'] ? false : undefined,
      onCallback: ({ userdata }) => { if (userdata === 'second') secondArrived.resolve() },
      async serve (request, response) {
        if (request.url === '/first') {
          firstFetched.resolve()
          await release.promise
        }
        response.end(request.url)
      }
    })
    const { fileId, key, documentServer: { origin, requests } } = editing
    const other = await editing.storage.create('txt', Buffer.from(OLD))

    const first = editing.post({ key, status: 6, url: `${origin}/first` })
    await firstFetched.promise
    const denied = await editing.postCallback(fileId, bodyFor(profile, { key, status: 6, url: `${origin}/denied` }), { 'x-denied': '1' })
    t.equal(denied.body, '{"error":1}')
    const second = editing.post({ key, status: 6, url: `${origin}/second`, userdata: 'second' })
    await secondArrived.promise
    t.equal(
      await editing.post(
        { key: await editing.openedKey(other.fileId), status: 2, url: `${origin}/other` },
        other.fileId
      ),
      0,
      'another file is saved meanwhile'
    )
    t.strictSame(requests, ['/first', '/other'])

    release.resolve()
    t.strictSame(await Promise.all([first, second]), [0, 0])
    t.equal(await editing.storedText(fileId), '/second')
  })

  t.test(`a callback that is refused, fails or has nothing to save delays no other (${profile})`, async t => {
    const failing = deferred()
    const firstFetched = deferred()
    const arrived = deferred()
    const editing = await startEditing(t, {
      profile,
      policies: { conflict: 'overwrite' }, // the save without a url has ended the session
      authorize: request => request.headers['x-refused'] ? false : undefined,
      onCallback: ({ userdata }) => { if (userdata === 'last') arrived.resolve() },
      async serve (request, response) {
        if (request.url !== '/fails') return response.end(request.url)
        firstFetched.resolve()
        await failing.promise
        response.destroy()
      }
    })
    const { fileId, key, documentServer: { origin, requests } } = editing
    const fails = editing.post({ key, status: 2, url: `${origin}/fails` })
    await firstFetched.promise

    const refused = await editing.postCallback(fileId, { key, status: 2, url: `${origin}/refused` }, { 'content-type': 'application/json', 'x-refused': '1' })
    t.equal(refused.body, '{"error":1}', 'a refusal is not queued')
    t.equal((await editing.postCallback(fileId, 'no callback')).body, '{"error":1}')
    t.equal(await editing.post({ key, status: 2, url: '' }), profile === 'secure' ? 1 : 0, 'neither does a save without a url')
    const nonsense = editing.post({ key, status: 2, url: 'nonsense' })
    const last = editing.post({ key, status: 2, url: `${origin}/last`, userdata: 'last' })
    await arrived.promise

    failing.resolve()
    t.strictSame(await Promise.all([fails, nonsense, last]), [1, 1, 0])
    t.strictSame(requests, ['/fails', '/last'])
    t.equal(await editing.storedText(fileId), '/last')
  })
}

t.test('a save continues after the document server has stopped waiting for the answer', async t => {
  const fetched = deferred()
  const release = deferred()
  const saved = deferred()
  const editing = await startEditing(t, {
    profile: 'classic',
    onSaved: () => { saved.resolve() },
    async serve (_request, response) {
      fetched.resolve()
      await release.promise
      response.end('late')
    }
  })
  const impatient = new AbortController()
  const closed = once(editing.app.server, 'connection').then(([socket]) => once(socket, 'close'))
  const answer = fetch(editing.urls.callback(editing.fileId), {
    method: 'POST',
    signal: impatient.signal,
    body: JSON.stringify({ status: 2, url: editing.url })
  })
  await fetched.promise
  impatient.abort()
  await t.rejects(answer)
  await closed
  release.resolve()
  await saved.promise
  t.equal(await editing.storedText(editing.fileId), 'late')
})
