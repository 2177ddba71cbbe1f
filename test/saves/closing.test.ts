import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { NEW, startEditing } from '../kit/editing.js'
import { deferred, holdTimers } from '../kit/time.js'

t.setTimeout(300_000)

const HALF = NEW.length / 2

/** Sends half of the document; the rest is up to the test. */
function halfway () {
  const asked = deferred<ServerResponse>()
  const serve: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': NEW.length }).write(NEW.slice(0, HALF))
    asked.resolve(response)
  }
  return { serve, asked: asked.promise }
}

t.test('closing the app waits for a save, which is stored and acknowledged', async t => {
  const { serve, asked } = halfway()
  const editing = await startEditing(t, { serve })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  const response = await asked
  const closed = editing.app.close()
  response.end(NEW.slice(HALF))
  t.equal(await answer, 0)
  await closed
  t.equal(await editing.storedText(editing.fileId), NEW)
})

for (const status of [2, 6]) {
  t.test(`closing the app aborts a ${status} that takes too long, and nothing has changed`, async t => {
    const { serve, asked } = halfway()
    const editing = await startEditing(t, { serve, timeouts: { close: 100 } })
    const answer = editing.post({ key: editing.key, status, url: editing.url })
    const response = await asked
    const left = once(response, 'close')
    await editing.app.close()
    t.equal(await answer, 1, 'the answer tells the document server to keep the save')
    await left
    await editing.unchanged(t, 'closed')
  })
}

t.test('a save may take longer than Fastify\'s plugin timeout', async t => {
  const pluginTimeout = 200_000
  const timers = holdTimers(t, pluginTimeout)
  const { serve, asked } = halfway()
  const editing = await startEditing(t, { serve, server: { pluginTimeout } })
  const answer = editing.post({ key: editing.key, status: 2, url: editing.url })
  const response = await asked
  const closed = editing.app.close()
  timers.pass()
  await Promise.race([closed, delay(500)])
  response.end(NEW.slice(HALF))
  t.equal(await answer, 0)
  await t.resolves(closed)
  t.equal(await editing.storedText(editing.fileId), NEW)
})
