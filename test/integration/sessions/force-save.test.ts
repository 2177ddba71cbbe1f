import t from 'tap'
import { startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

const kinds = [['command', 0], ['button', 1], ['timer', 2]] as const

for (const profile of profiles) {
  for (const [type, forcesavetype] of kinds) {
    t.test(`a force save by ${type} is stored and keeps the key; the finished save says whether anything was modified since (${profile})`, async t => {
      const { documentServer, open, key, stored, callbacks, saved, fetches } = await startService(t, { profile })
      const session = await open()
      await session.edit('forced')
      const userdata = JSON.stringify({ reason: 'größe', type })
      t.match(await session.forceSave({ type, userdata }), { status: 6, accepted: true })
      t.equal(await stored(), 'forced')
      t.equal(await key(), session.key)
      const event = callbacks.at(-1)!
      t.match(event, { status: 6, forcesavetype, userdata, key: session.key, filetype: 'txt' })

      t.match(await session.forceSave({ type }), { status: null }, 'nothing new: nothing is sent')
      t.match(await session.close(), { status: 2, accepted: true })
      t.match(callbacks.at(-1), { status: 2, notmodified: true })
      t.equal(await stored(), 'forced')
      t.not(await key(), session.key)
      t.strictSame(saved.map(({ status }) => status), [6, 2])
      t.ok(fetches() >= 2)
      t.equal(documentServer.forgotten.size, 0)
    })
  }

  t.test(`edits after a force save are in the finished save (${profile})`, async t => {
    const { open, stored, callbacks } = await startService(t, { profile })
    const session = await open()
    await session.edit('forced')
    await session.forceSave()
    await session.edit('forced, then edited')
    await session.close()
    t.match(callbacks.at(-1), { status: 2, notmodified: false })
    t.equal(await stored(), 'forced, then edited')
  })
}
