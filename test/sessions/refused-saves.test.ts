import t from 'tap'
import { startService } from '../kit/sessions.js'
import { recordSessions, told } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

t.test('a save that is refused a second time ends the session a second time, and is brought back all the same', async t => {
  const { hooks, until, events } = recordSessions()
  const { open, documentServer, stored, app } = await startService(t, hooks)
  documentServer.fault('file', { type: 'reset' }, { times: 2 })
  const first = await open()
  await first.edit('refused twice')
  t.match(await first.close(), { status: 2, accepted: false })
  const second = await open()
  t.match(await second.close(), { status: 2, accepted: false })
  t.strictSame(told(await until(4)), ['start', 'refused', 'start', 'refused'])
  t.strictSame(await app.editorSessions.list(), [])
  const third = await open()
  t.equal(third.key, first.key)
  t.match(await third.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'refused twice')
  await until(6)
  t.equal(events.length, 6)
})

t.test('a page that is rendered for a refused save starts no session', async t => {
  const { hooks, until, events } = recordSessions()
  const { open, documentServer, clock, key, app } = await startService(t, hooks)
  documentServer.fault('file', { type: 'reset' }, { times: 1 })
  const session = await open()
  await session.edit('refused')
  await session.close()
  await until(2)
  await clock.advance(2 * 60 * 60_000) // now the document server is asked about the session
  t.equal(await key(), session.key)
  t.strictSame(await app.editorSessions.list(), [])
  t.strictSame(told(events), ['start', 'refused'])
})

t.test('after a status 4 the document server is asked whether it still has a refused save', async t => {
  const { open, documentServer, key, fileId, postSignedCallback } = await startService(t)
  documentServer.fault('file', { type: 'reset' }, { times: 1 })
  const session = await open()
  await session.edit('refused')
  await session.close()
  const commands = () => documentServer.receivedRequests.filter(({ url }) => url.includes('CommandService')).length
  t.equal(await key(), session.key)
  t.equal(commands(), 0)
  t.match(await postSignedCallback(fileId, { key: session.key, status: 4 }), { body: '{"error":0}' })
  t.equal(await key(), session.key)
  t.ok(commands() > 0)
})

t.test('after a crash, nobody returns to what was refused before a force save while the document server does not answer', async t => {
  const { open, documentServer, clock, stored } = await startService(t)
  documentServer.fault('file', { type: 'reset' }, { times: 1 })
  const first = await open()
  await first.edit('refused')
  t.match(await first.close(), { status: 2, accepted: false })
  await clock.advance(2000)
  const second = await open()
  await second.edit('refused, and continued')
  t.match(await second.forceSave(), { accepted: true })
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  documentServer.fault('command', { type: 'answer', status: 500 })
  const third = await open()
  t.equal(String(await third.content()), 'refused, and continued')
  await third.close()
  t.equal(await stored(), 'refused, and continued')
})

for (const isSaving of [false, true]) {
  for (const opens of ['a new page', 'the page from before'] as const) {
    t.test(`a crash after a force save of what was refused${isSaving ? ', in the middle of the next save' : ''}: whoever opens ${opens} does not replace the force save`, async t => {
      let finalSaves = 0
      const failed = deferred()
      const { open, documentServer, stored, app, fileId } = await startService(t, {
        async onCallback ({ status }) {
          if (status === 2 && ++finalSaves === 2 && isSaving) await documentServer.crash()
        },
        onSaveFailed () { if (finalSaves === 2) failed.resolve() }
      })
      documentServer.fault('file', { type: 'reset' }, { times: 1 })
      const first = await open()
      await first.edit('refused')
      t.match(await first.close(), { status: 2, accepted: false })
      const { config } = await app.editorControl().openDocument(fileId)
      const second = await documentServer.open(config!)
      await second.edit('refused, and continued')
      t.match(await second.forceSave(), { accepted: true })
      if (isSaving) {
        await t.rejects(second.close())
        await failed.promise
      } else await documentServer.crash()
      await documentServer.restart({ sessions: 'lost' })

      const third = opens === 'a new page' ? await open() : await documentServer.open(config!)
      t.equal(String(await third.content()), opens === 'a new page' ? 'refused, and continued' : 'refused')
      await third.edit('typed')
      t.match(await third.close(), { accepted: true })
      t.equal(await stored(), opens === 'a new page' ? 'typed' : 'refused, and continued')
    })
  }
}

for (const isSaving of [true, false]) {
  t.test(`a crash ${isSaving ? 'during' : 'after'} a save from a page of before a restore: what was refused does not replace it`, async t => {
    let crashes = false
    const failed = deferred()
    const { open, documentServer, stored, app, fileId, saved } = await startService(t, {
      versions: {},
      async onCallback ({ status }) {
        if (status === 2 && crashes) await documentServer.crash()
      },
      onSaveFailed () { if (crashes) failed.resolve() }
    })
    const first = await open()
    await first.edit('stored')
    t.match(await first.close(), { accepted: true })
    const { config } = await app.editorControl().openDocument(fileId)
    const second = await documentServer.open(config!)
    await second.edit('refused')
    documentServer.fault('file', { type: 'reset' }, { times: 1 })
    t.match(await second.close(), { accepted: false })
    await (await app.editorControl().openDocument(fileId)).restore(1)
    const third = await documentServer.open(config!)
    await third.edit('refused, and continued')
    t.match(await third.forceSave(), { accepted: true })
    const copy = saved.at(-1)!.stored.fileId
    if (isSaving) {
      crashes = true
      await t.rejects(third.close())
      await failed.promise
      crashes = false
    } else await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' })

    const fourth = isSaving ? await open() : await documentServer.open(config!)
    t.equal(String(await fourth.content()), isSaving ? await stored() : 'refused')
    await fourth.edit('typed')
    t.match(await fourth.close(), { accepted: true })
    const { body } = (await app.editorStorage.read(copy))!
    t.equal(String(Buffer.concat(await body.toArray())), 'refused, and continued')
  })
}
