import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

const CONTENT = 'x'.repeat(5000)

for (const profile of profiles) {
  t.test(`a saved file that trickles in for longer than timeouts.total is refused, even without a long pause (${profile})`, async t => {
    const clock = fakeClock()
    const { documentServer, open, stored, listing, fileId, forgotten } = await startService(t, { profile, clock, timeouts: { total: 300, idle: 10_000 } })
    const session = await open()
    await session.edit(CONTENT)
    documentServer.fault('file', { type: 'drip', bytes: 1, everyMs: 1 })
    const pieces = setInterval(() => clock.jump(1), 1)
    t.match(await session.close(), { status: 2, answer: { error: 1 } })
    clearInterval(pieces)
    t.equal(await stored(), OLD)
    t.strictSame(await listing(), [`${fileId}.txt`])
    t.strictSame(forgotten(), [CONTENT])
  })
}
