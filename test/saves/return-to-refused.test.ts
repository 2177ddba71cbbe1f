import t from 'tap'
import { profiles, startService } from '../integration/support.js'

for (const profile of profiles) {
  t.test(`after a crash, what was refused does not replace what was force-saved since (${profile})`, async t => {
    const { open, documentServer, clock, stored } = await startService(t, { profile })
    const refused = await open()
    await refused.edit('refused')
    const mend = documentServer.fault('file', { type: 'html' })
    t.match(await refused.close(), { status: 2, accepted: false })
    mend()
    clock.advance(2000)
    const continued = await open()
    await continued.edit('refused, and continued')
    t.match(await continued.forceSave(), { accepted: true })
    await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' }) // it still has what was refused

    const next = await open()
    await next.close()
    t.equal(await stored(), 'refused, and continued')
  })
}
