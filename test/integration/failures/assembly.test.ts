import t from 'tap'
import { OLD, startService } from '../../kit/sessions.js'

t.test('a document that could not be assembled (status 3) is refused, and opening the same key restores the changes (secure)', async t => {
  const { documentServer, open, stored, key, callbacks } = await startService(t)
  const session = await open()
  await session.edit('not to be lost')
  documentServer.fault('assembly', { type: 'fail' })
  t.match(await session.close(), { status: 3, answer: { error: 1 } })
  t.match(callbacks.at(-1), { status: 3, key: session.key })
  t.equal(await stored(), OLD)
  t.equal(await key(), session.key)
  const again = await open()
  t.equal(String(await again.content()), 'not to be lost')
  t.match(await again.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'not to be lost')
  t.not(await key(), session.key)
})

t.test('a document that could not be assembled (status 3) is acknowledged: the changes are lost and the stored bytes stay (classic)', async t => {
  const { documentServer, open, stored, callbacks } = await startService(t, { profile: 'classic' })
  const session = await open()
  await session.edit('lost in classic')
  documentServer.fault('assembly', { type: 'fail' })
  t.match(await session.close(), { status: 3, answer: { error: 0 } })
  t.match(callbacks.at(-1), { status: 3, key: session.key })
  t.equal(await stored(), OLD)
  const again = await open()
  t.not(again.key, session.key)
  t.equal(again.viewOnly, false, 'it can be edited at once')
  t.equal(String(await again.content()), OLD)
})

for (const { profile, corrupted, error } of [
  { profile: 'classic', corrupted: 'keep', error: 1 },
  { profile: 'secure', corrupted: 'discard', error: 0 }
] as const) {
  t.test(`with policies.corrupted ${corrupted} a status 3 is answered ${error} (${profile})`, async t => {
    const { documentServer, open } = await startService(t, { profile, policies: { corrupted } })
    const session = await open()
    await session.edit('changed')
    documentServer.fault('assembly', { type: 'fail' })
    t.match(await session.close(), { status: 3, answer: { error } })
  })
}

t.test('a corrupted result (status 3 with a url) is not stored, and the document server keeps it (secure)', async t => {
  const { documentServer, open, stored, fetches, forgotten } = await startService(t)
  const session = await open()
  await session.edit('corrupted!')
  documentServer.fault('assembly', { type: 'fail', corrupted: true })
  t.match(await session.close(), { status: 3, answer: { error: 1 } })
  t.equal(fetches(), 0)
  t.equal(await stored(), OLD)
  t.strictSame(forgotten(), ['corru'])
})

for (const profile of ['secure', 'classic'] as const) {
  t.test(`a force save that could not be assembled (status 7) is acknowledged, and the finished save is stored (${profile})`, async t => {
    const { documentServer, open, stored, key } = await startService(t, { profile })
    const session = await open()
    await session.edit('saved in the end')
    documentServer.fault('assembly', { type: 'fail' })
    t.match(await session.forceSave(), { status: 7, answer: { error: 0 } })
    t.equal(await stored(), OLD)
    t.equal(await key(), session.key)
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'saved in the end')
  })
}
