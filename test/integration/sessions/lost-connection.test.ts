import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

for (const profile of profiles) {
  t.test(`an editor whose connection was cut reconnects in time: one session, one save (${profile})`, async t => {
    const clock = fakeClock()
    const { open, stored, key, saved } = await startService(t, { profile, clock })
    const session = await open()
    await session.edit('before')
    await session.disconnect()
    await clock.advance(4999)
    t.equal(await stored(), OLD)
    t.equal(await key(), session.key)
    await session.reconnect()
    await clock.advance(60_000)
    t.equal(await stored(), OLD, 'nothing is saved while somebody edits')
    await session.edit('before and after')
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'before and after')
    t.equal(saved.length, 1)
  })

  t.test(`an editor whose connection was cut reconnects too late: the document is saved after five seconds and opens under a new key (${profile})`, async t => {
    const clock = fakeClock()
    const { open, stored, key } = await startService(t, { profile, clock })
    const session = await open()
    await session.edit('cut off')
    await session.disconnect()
    await clock.advance(5000)
    t.match(await session.saved(), { status: 2, accepted: true })
    t.equal(await stored(), 'cut off')
    t.not(await key(), session.key)
    await t.rejects(session.reconnect(), { code: 4008 })
    const again = await open()
    t.equal(String(await again.content()), 'cut off')
    t.equal(again.viewOnly, false)
  })

  t.test(`an editor that opens the document while a cut connection is waited for joins the same session (${profile})`, async t => {
    const clock = fakeClock()
    const { open, stored, saved } = await startService(t, { profile, clock })
    const session = await open()
    await session.edit('by Ada')
    await session.close({ abrupt: true })
    await clock.advance(3000)
    const ben = await open({ user: { id: 'ben', name: 'Ben' } })
    t.equal(ben.key, session.key)
    t.equal(String(await ben.content()), 'by Ada')
    await clock.advance(60_000)
    t.equal(saved.length, 0)
    t.match(await ben.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'by Ada')
  })
}
