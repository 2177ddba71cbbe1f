import t from 'tap'
import { fakeClock } from '../../lib/index.js'
import { startDocumentServer, startFakeHost } from '../support.js'

t.test('an editor that was cut off cannot reconnect in place of an editor who opened the key anew', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const before = await server.open(host.config('K', { name: 'notes.txt' }))
  await before.edit('before')
  host.answers[2] = { body: '{"error":1}' }
  await before.disconnect()
  await clock.advance(5000)
  t.strictSame(host.statuses(), [1, 2], 'refused: the key is opened anew, with the forgotten file')
  delete host.answers[2]
  const after = await server.open(host.config('K', { name: 'notes.txt' }))
  await after.disconnect()
  await t.rejects(before.reconnect(), { code: 4008 })
  await after.reconnect()
  await after.edit('after')
  t.match(await after.close(), { status: 2, accepted: true })
})
