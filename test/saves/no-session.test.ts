import t from 'tap'
import { HANDLER } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'
import { OLD, startService } from '../kit/sessions.js'

// A callback without a key names no session. It is accepted only without tokens.

t.test('a save without a session is refused while the document is frozen, and stored otherwise', async t => {
  const { app, origin, fileId, stored } = await startService(t, { profile: 'classic' })
  const upstream = await startUpstream(t, (_request, response) => { response.end('new') })
  const save = async () => {
    const body = JSON.stringify({ status: 2, url: upstream.origin })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}${HANDLER}?action=callback&fileId=${fileId}`, { method: 'POST', body, headers })
    return await response.text()
  }
  const { release } = await app.editorSessions.freeze(fileId, { by: 'test' })
  t.equal(await save(), '{"error":1}')
  t.equal(await stored(), OLD)
  await release()
  t.equal(await save(), '{"error":0}')
  t.equal(await stored(), 'new')
})
