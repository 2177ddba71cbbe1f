import t from 'tap'
import { startHost } from '../../kit/host.js'
import { SECRET } from '../../kit/document-server.js'
import { OLD, startService } from '../../kit/sessions.js'

const NEW_SECRET = 'the-secret-after-the-change-0123456789'

for (const [what, after] of Object.entries({
  'under another path': { path: '/office/handler' },
  'with another secret, and without the old one': { jwtSecret: NEW_SECRET }
})) {
  t.test(`a service that comes back ${what} refuses the saves of its open sessions, and the document server restores them`, async t => {
    const service = await startService(t)
    const { documentServer, fileId } = service
    const session = await service.open()
    await session.edit('what was edited')
    await service.app.close()
    t.match(await session.close(), { status: 2, accepted: false })
    t.strictSame(service.forgotten(), ['what was edited'])

    documentServer.changeSecret(after.jwtSecret ?? SECRET)
    const moved = await startHost(t, { documentServerOrigin: documentServer.url, storage: service.others.open(), ...after })
    t.equal(await moved.storedText(fileId), OLD)
    const { config } = await moved.app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)
    t.equal(config!.document.key, session.key, 'the key under which the document server keeps the edit')
    const again = await documentServer.open(config!)
    t.equal(String(await again.content()), 'what was edited')
    t.match(await again.close(), { status: 2, accepted: true })
    t.equal(await moved.storedText(fileId), 'what was edited')
    t.strictSame(service.forgotten(), [])
  })
}
