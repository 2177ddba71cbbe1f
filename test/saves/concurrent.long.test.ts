import t from 'tap'
import { OLD, startEditing } from '../kit/editing.js'
import { deferred } from '../kit/time.js'

t.setTimeout(300_000)

t.test('concurrentSaves: saves whose files do not arrive do not hold up the others for longer than ten seconds', async t => {
  const hanging = deferred()
  const editing = await startEditing(t, {
    concurrentSaves: 1,
    timeouts: { idle: 50_000, headers: 50_000, close: 100 },
    serve (request, response) {
      if (request.url === '/hanging') hanging.resolve()
      else response.end('stored')
    }
  })
  const { origin } = editing.documentServer
  const other = await editing.storage.create('txt', Buffer.from(OLD))
  const held = editing.post({ status: 2, url: `${origin}/hanging` })
  await hanging.promise
  t.equal(await editing.post({ key: await editing.openedKey(other.fileId), status: 2, url: `${origin}/other` }, other.fileId), 0)
  t.equal(await editing.storedText(other.fileId), 'stored')
  await editing.app.close()
  t.equal(await held, 1)
})
