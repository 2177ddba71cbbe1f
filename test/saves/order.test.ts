import { once } from 'node:events'
import t from 'tap'
import { OLD, startEditing } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

t.test('a slow save followed by a fast one: the later arrival wins, and another file is not delayed', async t => {
  const firstFetched = deferred()
  const release = deferred()
  const secondArrived = deferred()
  const editing = await startEditing(t, {
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

for (const slow of ['authorize', 'onCallback'] as const) {
  t.test(`saves are applied in order of arrival, however long ${slow} takes for the first`, async t => {
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
    const editing = await startEditing(t, { [slow]: wait, serve: (request, response) => response.end(request.url) })
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
