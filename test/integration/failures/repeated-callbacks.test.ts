import t from 'tap'
import { startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

for (const profile of profiles) {
  t.test(`a save that is sent twice is stored once and answered 0 twice (${profile})`, async t => {
    const { documentServer, open, stored, sent, saved, fetches } = await startService(t, { profile })
    const session = await open()
    documentServer.fault('callback', { type: 'duplicate' }, { times: Infinity })
    await session.edit('forced')
    t.match(await session.forceSave(), { status: 6, accepted: true })
    t.equal(await stored(), 'forced')
    await session.edit('finished')
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'finished')
    t.strictSame([...sent(6), ...sent(2)].map(({ answer }) => answer), Array(4).fill({ status: 200, body: { error: 0 } }))
    t.strictSame(saved.map(({ status }) => status), [6, 2])
    t.equal(fetches(), 2)
  })

  t.test(`a force save that arrives after the finished save of its session restores neither the old content nor the old key (${profile})`, async t => {
    const { documentServer, open, stored, key, sent, saved } = await startService(t, { profile })
    const session = await open()
    await session.edit('old')
    documentServer.fault('callback', { type: 'reorder' })
    await session.forceSave()
    await session.edit('new')
    t.match(await session.close(), { status: 2, accepted: true })
    t.match(sent(6), [{ answer: { status: 200, body: { error: 0 } } }], 'it did arrive')
    t.equal(await stored(), 'new')
    t.strictSame(saved.map(({ status }) => status), [2])
    t.not(await key(), session.key)
  })

  t.test(`a force save that arrives after a later one of its session does not restore old content (${profile})`, async t => {
    const { documentServer, clock, open, stored, key, sent, saved } = await startService(t, { profile })
    const session = await open()
    await session.edit('old')
    documentServer.fault('callback', { type: 'reorder' })
    await session.forceSave()
    clock.jump(2000)
    await session.edit('new')
    t.match(await session.forceSave(), { status: 6, accepted: true })
    t.match(sent(6).map(({ answer }) => answer?.body), [{ error: 0 }, { error: 0 }])
    t.equal(await stored(), 'new')
    t.equal(saved.length, 1)
    t.equal(await key(), session.key)
  })

  t.test(`a status 1 that arrives after the finished save does not restore the old key (${profile})`, async t => {
    const { documentServer, open, stored, key } = await startService(t, { profile })
    documentServer.fault('callback', { type: 'reorder' })
    const session = await open()
    await session.edit('new')
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'new')
    t.not(await key(), session.key)
  })
}
