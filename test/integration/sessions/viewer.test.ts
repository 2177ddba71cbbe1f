import t from 'tap'
import { OLD, startService } from '../../kit/sessions.js'

const VIEWERS = {
  'mode view': { mode: 'view', user: { id: 'vic', name: 'Vic' } },
  'permission to edit false': { permissions: { edit: false }, user: { id: 'vic', name: 'Vic' } }
} as const

for (const [name, defaults] of Object.entries(VIEWERS)) {
  t.test(`${name}: the document is displayed, cannot be edited, and the application gets no callback`, async t => {
    const { open, callbacks, sent, key } = await startService(t)
    const viewer = await open(defaults)
    t.equal(viewer.viewOnly, true)
    t.equal(String(await viewer.content()), OLD)
    await t.rejects(viewer.edit('changed'), { code: 4004 })
    t.equal(await key(), viewer.key)
    t.match(await viewer.close(), { status: null })
    t.strictSame(callbacks, [])
    t.strictSame([1, 2, 4].flatMap(sent), [])
  })

  t.test(`${name}: a viewer beside an editor sees the changes and does not keep the session open`, async t => {
    const { open, callbacks, stored } = await startService(t)
    const editor = await open()
    const viewer = await open(defaults)
    t.equal(viewer.key, editor.key)
    await editor.edit('what was edited')
    t.match(await viewer.nextEvent('changed'), { userId: 'ada' })
    t.equal(String(await viewer.content()), 'what was edited')
    t.match(await editor.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'what was edited')
    await viewer.close()
    t.strictSame(callbacks.map(({ status, users }) => [status, users]), [[1, ['ada']], [2, ['ada']]])
  })
}
