import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Profile } from '../../lib/index.js'
import { startService } from '../kit/sessions.js'
import { profiles } from '../kit/editing.js'

/** A document server that crashed after a force save, and still has what was refused before. */
async function crashAfterRefusal (t: Test, profile: Profile) {
  const service = await startService(t, { profile })
  const { open, documentServer, clock } = service
  const refused = await open()
  await refused.edit('refused')
  const mend = documentServer.fault('file', { type: 'html' })
  t.match(await refused.close(), { status: 2, accepted: false })
  mend()
  await clock.advance(2000)
  const continued = await open()
  await continued.edit('refused, and continued')
  t.match(await continued.forceSave(), { accepted: true })
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  return service
}

for (const profile of profiles) {
  t.test(`after a crash, what was refused does not replace what was force-saved since (${profile})`, async t => {
    const { open, stored } = await crashAfterRefusal(t, profile)
    const next = await open()
    await next.close()
    t.equal(await stored(), 'refused, and continued')
  })

  t.test(`after a crash, nobody returns to what was refused while the document server does not answer (${profile})`, async t => {
    const { open, documentServer, stored } = await crashAfterRefusal(t, profile)
    documentServer.fault('command', { type: 'answer', status: 500 })
    const next = await open()
    t.equal(String(await next.content()), 'refused, and continued')
    await next.close()
    t.equal(await stored(), 'refused, and continued')
  })

  t.test(`after a crash, what was refused does not replace the conflict copy of an earlier force save (${profile})`, async t => {
    const { app, fileId, others, documentServer, saved, open } = await startService(t, { profile, policies: { conflict: 'keep-both' } })
    const { config } = await app.editorControl().openDocument(fileId)
    const first = await documentServer.open(config!)
    await first.edit('one')
    await others.write(fileId, 'txt', 'changed from outside')
    t.match(await first.forceSave(), { accepted: true })
    const copyId = saved.at(-1)!.conflictFileId!
    await documentServer.crash()
    await documentServer.restart({ sessions: 'lost' })

    const second = await documentServer.open(config!) // an old page
    await second.edit('two')
    const mend = documentServer.fault('file', { type: 'html' })
    t.match(await second.close(), { status: 2, accepted: false })
    mend()
    const third = await open()
    t.equal(String(await third.content()), 'two')
    t.match(await third.close(), { accepted: true })
    t.equal(await text((await app.editorStorage.read(copyId))!.body), 'one')
  })
}
