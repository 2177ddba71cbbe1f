import t from 'tap'
import { startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

const BEN = { user: { id: 'ben', name: 'Ben' } }

for (const profile of profiles) {
  t.test(`an editor that joins after a force save gets the session's key, and both edit the same document (${profile})`, async t => {
    const { open, key, stored, callbacks, saved } = await startService(t, { profile })
    const ada = await open()
    await ada.edit('by Ada')
    t.match(await ada.forceSave(), { status: 6, accepted: true })
    t.equal(await stored(), 'by Ada')

    const ben = await open(BEN)
    t.equal(ben.key, ada.key, 'although the stored content is different')
    t.equal(String(await ben.content()), 'by Ada')
    await ben.edit('by Ada and Ben')
    t.equal(String(await ada.content()), 'by Ada and Ben')
    t.match(await ada.close(), { status: 1, accepted: true })
    t.equal(await stored(), 'by Ada', 'nothing is stored while Ben stays')
    t.equal(await key(), ada.key)
    t.match(await ben.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'by Ada and Ben')
    t.strictSame(callbacks.map(({ status }) => status), [1, 6, 1, 1, 2])
    t.strictSame(callbacks.map(({ users }) => users), [['ada'], ['ada'], ['ada', 'ben'], ['ben'], ['ben']])
    t.match(saved, [{ status: 6, users: ['ada'] }, { status: 2, users: ['ben'] }])
    t.not(await key(), ada.key)
  })

  t.test(`an editor that opens the document between the saves of two sessions gets the key of the stored content (${profile})`, async t => {
    const { open, stored } = await startService(t, { profile })
    const keys = new Set<string>()
    for (const content of ['one', 'two', 'three']) {
      const ada = await open()
      const ben = await open(BEN)
      t.equal(ben.key, ada.key)
      keys.add(ada.key)
      await ben.edit(content)
      await Promise.all([ada.close(), ben.close()])
      t.equal(await stored(), content)
    }
    t.equal(keys.size, 3)
  })
}
