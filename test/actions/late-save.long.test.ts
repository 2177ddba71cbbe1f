import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { deferred } from '../kit/time.js'
import { startOutdated } from './outdated-page.js'

/** More than the page's action waits for a save of which nothing is known. */
const TRIES_MS = 3000

t.test('a page that is outdated because of a save that comes after its request gets the key that follows the save', async t => {
  const asked = deferred<void>()
  let isAsking = false
  const { app, fileId, key, session, saving, release, refresh } = await startOutdated(t, () => {
    if (isAsking) asked.resolve()
  })
  const { documentKey, pageToken } = await app.editorControl().openDocument(fileId)
  isAsking = true
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
