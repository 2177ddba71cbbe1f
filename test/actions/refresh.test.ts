import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { HANDLER } from '../kit/host.js'
import { startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

/** A document with changes, whose next save is held before it is stored, and a page that asks for a fresh configuration. */
async function startOutdated (t: Test, onLookUp: () => void) {
  const staging = deferred<void>()
  const staged = deferred<void>()
  let isHeld = false
  const noted = <Args extends unknown[], Result>(lookUp: (...args: Args) => Result) => (...args: Args) => {
    onLookUp()
    return lookUp(...args)
  }
  const { open, app, fileId, origin, key } = await startService(t, {
    storing: storage => ({
      ...storage,
      stat: noted(storage.stat),
      snapshot: noted(storage.snapshot),
      async stage (...args) {
        if (isHeld) {
          staging.resolve()
          await staged.promise
        }
        return await storage.stage(...args)
      }
    })
  })
  const session = await open()
  await session.edit('saved')
  isHeld = true

  return {
    app,
    fileId,
    key,
    session,
    /** Resolves when the save is held. */
    saving: staging.promise,
    release: staged.resolve,
    /** The key of a fresh configuration for a page that has another one. */
    async refresh (pageToken: string, documentKey: string | undefined): Promise<string> {
      const response = await fetch(`${origin}${HANDLER}/actions/config`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
        body: JSON.stringify({ purpose: 'refresh', key: documentKey })
      })
      const { config } = await response.json() as { config: { document: { key: string } } }
      return config.document.key
    }
  }
}

/** More than the action waits for a save of which nothing is known. */
const TRIES_MS = 2500

t.test('a page that is outdated because of a save that comes after its request gets the key that follows the save, however long that takes', async t => {
  let asked = deferred()
  const { app, fileId, key, session, saving, release, refresh } = await startOutdated(t, () => asked.resolve())
  const { documentKey, pageToken } = await app.editorControl().openDocument(fileId)
  asked = deferred()
  const refreshed = refresh(pageToken, documentKey)
  await asked.promise
  const closing = session.close()
  await saving
  await delay(TRIES_MS)
  release()
  t.match(await closing, { accepted: true })
  t.not(await refreshed, documentKey)
  t.equal(await refreshed, await key())
})
