import t from 'tap'
import { connect } from '../hostile/page.js'
import { startDocumentServer, startFakeHost, startWithClock } from '../support.js'

t.test('an editor that was cut off cannot reconnect in place of an editor who opened the key anew', async t => {
  const { host, server, clock } = await startWithClock(t)
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

t.test('a page that comes back learns which of its batches has arrived', async t => {
  const host = await startFakeHost(t)
  host.files.set('/files/orders.csv', Buffer.from('a,b\n'))
  const server = await startDocumentServer(t)
  const config = host.config('K', { name: 'orders.csv' })
  const page = await connect(t, server)
  page.send({ type: 'open', config })
  const { connectionId, batch } = await page.message({ type: 'opened' })
  t.equal(batch, 0)
  page.send({ type: 'edit', batch: 7, operations: [{ op: 'cell', sheet: 'Sheet1', cell: 'A1', value: 'mine' }] })
  await page.message({ type: 'received', batch: 7 })
  const again = await connect(t, server)
  again.send({ type: 'open', config, connectionId })
  t.match(await again.message({ type: 'opened' }), { connectionId, batch: 7 })
})
