import t from 'tap'
import { NEW, OLD, profiles, startEditing } from '../kit/editing.js'
import { startHost } from '../kit/host.js'

t.test('the same content gets the same document key on every instance', async t => {
  const editing = await startEditing(t)
  const { fileId, key, openedKey, origin, documentServer, others } = editing
  t.match(key, /^[0-9A-Za-z._=-]{1,128}$/)
  t.equal(await openedKey(), key)
  const instance = await startHost(t, { documentServerOrigin: documentServer.origin, publicBaseUrl: origin, storage: others.open() })
  t.equal((await instance.app.editorControl().openDocument(fileId)).documentKey, key)

  const other = await editing.storage.create('txt', Buffer.from(OLD))
  t.not(await openedKey(other.fileId), key, 'another file with the same content has another key')
})

for (const profile of profiles) {
  t.test(`a force save changes the content but not the session's key (${profile})`, async t => {
    const { key, openedKey, post, url, storedText, fileId } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 1 }), 0)
    t.equal(await openedKey(), key)
    t.equal(await post({ key, status: 6, url }), 0)
    t.equal(await storedText(fileId), NEW)
    t.equal(await openedKey(), key)
    for (const status of [7, 1, 6]) {
      t.equal(await post({ key, status, url: `${url}&again=1` }), 0)
      t.equal(await openedKey(), key, `after status ${status}`)
    }
  })

  t.test(`a force save of a session that started before this process keeps its key (${profile})`, async t => {
    const { key, openedKey, post, url } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 6, url }), 0)
    t.equal(await openedKey(), key)
  })

  t.test(`after a stored finished save the key is new (${profile})`, async t => {
    for (const statuses of [[2], [1, 2], [1, 6, 2], [6, 2], [1, 6, 6, 1, 2]]) {
      await t.test(statuses.join(), async t => {
        const { key, openedKey, post, documentServer } = await startEditing(t, { profile })
        for (const [index, status] of statuses.entries()) t.equal(await post({ key, status, url: `${documentServer.origin}/save-${index}` }), 0)
        const next = await openedKey()
        t.not(next, key)
        t.equal(await openedKey(), next)
      })
    }
  })

  t.test(`after a refused finished save the key is the same (${profile})`, async t => {
    for (const statuses of [[], [1], [1, 6], [6]]) {
      await t.test(`after ${statuses.join()}`, async t => {
        let failing = false
        const { key, openedKey, post, url } = await startEditing(t, {
          profile,
          serve: (_request, response) => response.writeHead(failing ? 500 : 200).end(NEW)
        })
        for (const status of statuses) t.equal(await post({ key, status, url }), 0)
        failing = true
        t.equal(await post({ key, status: 2, url }), 1)
        t.equal(await openedKey(), key)
        t.equal(await post({ key, status: 1 }), 0, 'it is opened again')
        t.equal(await openedKey(), key)
        failing = false
        t.equal(await post({ key, status: 2, url }), 0)
        t.not(await openedKey(), key)
      })
    }
  })

  t.test(`closing without a change keeps the key (${profile})`, async t => {
    const { key, openedKey, post } = await startEditing(t, { profile })
    for (const status of [1, 4]) t.equal(await post({ key, status }), 0)
    t.equal(await openedKey(), key)
  })

  t.test(`content changed from outside gets a new key, even while a session of the old content is open (${profile})`, async t => {
    const { key, openedKey, post, fileId, others } = await startEditing(t, { profile })
    await others.write(fileId, 'txt', 'changed from outside')
    const changed = await openedKey()
    t.not(changed, key)

    t.equal(await post({ key: changed, status: 1 }), 0)
    await others.write(fileId, 'txt', 'changed from outside once more')
    const next = await openedKey()
    t.not(next, changed, 'nobody gets the key of content that is not stored')
    t.equal(await post({ key: changed, status: 4 }), 0)
    t.equal(await openedKey(), next)
  })

  t.test(`callbacks of an older session do not end the current one (${profile})`, async t => {
    const { key, openedKey, post, documentServer: { origin } } = await startEditing(t, { profile })
    t.equal(await post({ key, status: 2, url: `${origin}/1` }), 0)
    const next = await openedKey()
    t.equal(await post({ key: next, status: 1 }), 0)
    t.equal(await post({ key: next, status: 6, url: `${origin}/2` }), 0)
    for (const late of [{ status: 4 }, { status: 2, url: `${origin}/1?md5=2` }, { status: 6, url: `${origin}/0` }]) {
      t.equal(await post({ key, ...late }), 0)
      t.equal(await openedKey(), next, `late ${late.status}`)
    }
  })

  t.test(`a session of one file does not affect other files (${profile})`, async t => {
    const { key, openedKey, post, url, storage } = await startEditing(t, { profile })
    const other = await storage.create('txt', Buffer.from(OLD))
    const otherKey = await openedKey(other.fileId)
    for (const status of [1, 6, 2]) t.equal(await post({ key, status, url }), 0)
    t.equal(await openedKey(other.fileId), otherKey)
  })
}

t.test('a refused callback does not affect the session (secure)', async t => {
  const { key, openedKey, post, postCallback, fileId } = await startEditing(t)
  const forged = 'a-key-of-the-attacker'
  for (const status of [1, 6]) t.equal((await postCallback(fileId, { key: forged, status })).body, '{"error":1}')
  t.equal(await openedKey(), key)

  t.equal(await post({ key, status: 1 }), 0)
  await postCallback(fileId, { key, status: 4 })
  t.equal(await openedKey(), key)
})
