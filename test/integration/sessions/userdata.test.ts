import t from 'tap'
import { startService } from '../../kit/sessions.js'

t.test('userdata that makes the header token too long: the save is stored, and only the body token has all fields', async t => {
  const { open, stored, callbacks, sent } = await startService(t)
  const session = await open()
  await session.edit('forced')
  const userdata = 'größe '.repeat(1000)
  t.match(await session.forceSave({ type: 'command', userdata }), { status: 6, accepted: true })
  t.equal(await stored(), 'forced')
  t.match(sent(6)[0]!.body, { history: {}, changesurl: undefined }, 'the plain body lacks them')
  const event = callbacks.at(-1)!
  t.equal(event.userdata, userdata)
  t.match(event, { changesurl: String, history: { serverVersion: String, changes: [{ user: { id: 'ada', name: 'Ada' } }] } })
  t.equal(event.token, undefined)
})

t.test('userdata beyond Node.js\'s header limit: the force save does not arrive, the finished save is stored', async t => {
  const { open, stored, sent, key } = await startService(t)
  const session = await open()
  await session.edit('saved in the end')
  t.match(await session.forceSave({ type: 'command', userdata: 'x'.repeat(20_000) }), { status: 6, httpStatus: 431, accepted: false })
  t.equal(sent(6).length, 1)
  t.equal(await key(), session.key)
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'saved in the end')
})
