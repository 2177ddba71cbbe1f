import t from 'tap'
import { startOutdated } from './outdated-page.js'

t.test('a page that is outdated because of a save under way gets the key that follows the save', async t => {
  const { app, fileId, key, session, saving, release, refresh } = await startOutdated(t)
  const closing = session.close()
  await saving

  const { documentKey, pageToken } = await app.editorControl().openDocument(fileId)
  t.equal(documentKey, session.key, 'while it is being saved')
  const refreshed = refresh(pageToken, documentKey)
  release()
  t.match(await closing, { accepted: true })
  t.not(await refreshed, documentKey)
  t.equal(await refreshed, await key())
})
