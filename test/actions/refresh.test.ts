import t from 'tap'
import { deferred } from '../kit/time.js'
import { HANDLER } from '../kit/host.js'
import { startService } from '../kit/sessions.js'

t.test('a page that is outdated because of a save under way gets the key that follows the save', async t => {
  const staging = deferred<void>()
  const staged = deferred<void>()
  let isGated = false
  const { open, app, fileId, origin, key } = await startService(t, {
    storing: storage => ({
      ...storage,
      async stage (...args) {
        if (isGated) {
          staging.resolve()
          await staged.promise
        }
        return await storage.stage!(...args)
      }
    })
  })
  const session = await open()
  await session.edit('saved')
  isGated = true
  const closing = session.close()
  await staging.promise

  const { documentKey, pageToken } = await app.editorControl().openDocument(fileId)
  t.equal(documentKey, session.key, 'while it is being saved')
  const refreshing = fetch(`${origin}${HANDLER}/actions/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: JSON.stringify({ purpose: 'refresh', key: documentKey })
  })
  staged.resolve()
  t.match(await closing, { accepted: true })
  const { config } = await (await refreshing).json() as { config: { document: { key: string } } }
  t.not(config.document.key, documentKey)
  t.equal(config.document.key, await key())
})
