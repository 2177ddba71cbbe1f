import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { HANDLER } from '../kit/host.js'
import { startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

/** More than the page's action waits for a save of which nothing is known. */
const TRIES_MS = 3000

t.test('a page that is outdated because of a save that comes after its request gets the key that follows the save', async t => {
  const asked = deferred<void>()
  const staging = deferred<void>()
  const staged = deferred<void>()
  let isGated = false
  const noted = <Args extends unknown[], Result>(lookUp: (...args: Args) => Result) => (...args: Args) => {
    if (isGated) asked.resolve()
    return lookUp(...args)
  }
  const { open, app, fileId, origin, key } = await startService(t, {
    storing: storage => ({
      ...storage,
      stat: noted(storage.stat),
      ...storage.snapshot && { snapshot: noted(storage.snapshot) },
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
  const { documentKey, pageToken } = await app.editorControl().openDocument(fileId)

  isGated = true
  const refreshing = fetch(`${origin}${HANDLER}/actions/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: JSON.stringify({ purpose: 'refresh', key: documentKey })
  })
  await asked.promise
  const closing = session.close()
  await staging.promise
  await delay(TRIES_MS)
  staged.resolve()
  t.match(await closing, { accepted: true })
  const { config } = await (await refreshing).json() as { config: { document: { key: string } } }
  t.not(config.document.key, documentKey)
  t.equal(config.document.key, await key())
})
