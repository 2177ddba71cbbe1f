import t from 'tap'
import { OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

for (const profile of profiles) {
  t.test(`the document server crashes after the save was stored but before it got the answer: the repeat is answered 0 and stored once (${profile})`, async t => {
    let crash = async () => {}
    const { documentServer, open, stored, saved, sent, fetches, key } = await startService(t, { profile, onSaved: async () => await crash() })
    crash = async () => {
      crash = async () => {}
      await documentServer.crash()
    }
    const session = await open()
    await session.edit('stored before the crash')
    await t.rejects(session.close(), /crashed/)
    t.equal(await stored(), 'stored before the crash')
    await documentServer.restart({ sessions: 'kept' })
    t.match(await session.saved(), { status: 2, answer: { error: 0 } })
    t.equal(sent(2).length, 2)
    t.equal(saved.length, 1)
    t.equal(fetches(), 1)
    t.equal(await stored(), 'stored before the crash')
    t.not(await key(), session.key)
    const next = await open()
    t.equal(next.viewOnly, false, 'the new key can be edited')
  })

  t.test(`the document server crashes while the saved file is fetched: no truncated file is stored, and after the restart the save is (${profile})`, async t => {
    const { documentServer, open, stored, saved, listing, fileId, key } = await startService(t, { profile })
    const session = await open()
    await session.edit('0123456789')
    documentServer.fault('file', { type: 'stall', afterBytes: 5 })
    const closing = t.rejects(session.close(), /crashed/)
    while (documentServer.receivedRequests.at(-1)?.status !== 200) await new Promise(resolve => setImmediate(resolve))
    await documentServer.crash()
    await closing
    t.equal(await stored(), OLD)
    t.equal(await key(), session.key)
    await documentServer.restart({ sessions: 'kept' })
    t.match(await session.saved(), { status: 2, answer: { error: 0 } })
    t.equal(await stored(), '0123456789')
    t.equal(saved.length, 1)
    t.strictSame(await listing(), [`${fileId}.txt`])
  })

  t.test(`the document server loses its sessions: the last force save is still stored, under a key that can be edited (${profile})`, async t => {
    const { documentServer, open, stored, key } = await startService(t, { profile })
    const session = await open()
    await session.edit('forced')
    await session.forceSave()
    await session.edit('forced, and lost')
    await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' })
    t.equal(await stored(), 'forced')
    const again = await open()
    t.equal(again.viewOnly, false)
    t.equal(String(await again.content()), 'forced')
    await again.edit('forced, and edited again')
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'forced, and edited again')
    t.not(await key(), again.key)
  })
}
