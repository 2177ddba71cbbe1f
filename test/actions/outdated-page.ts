import type { Test } from 'tap'
import { HANDLER } from '../kit/host.js'
import { startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

/** A document with changes, whose next save is held before it is stored, and a page that asks for a fresh configuration. */
export async function startOutdated (t: Test, onLookUp = () => {}) {
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
