import t from 'tap'
import { NEW, OLD, startEditing } from '../kit/editing.js'

for (const status of [429, 503]) {
  t.test(`when a hook fails with status ${status} because the application is busy, the callback is answered with it and the document server retries`, async t => {
    let busy = true
    const editing = await startEditing(t, {
      prepare: app => app.addHook('onRequest', async (_request, reply) => {
        if (!busy) return
        reply.header('retry-after', '1')
        throw Object.assign(new Error('try again later'), { code: 'HOST_BUSY', statusCode: status })
      })
    })
    const save = { key: editing.key, status: 2, url: editing.url }
    const refused = await editing.postSignedCallback(editing.fileId, save)
    t.equal(refused.status, status)
    t.equal(refused.headers.get('retry-after'), '1')
    await editing.unchanged(t, 'busy')

    busy = false
    t.equal((await editing.postSignedCallback(editing.fileId, save)).body, '{"error":0}')
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}

t.test('any other failure of a hook is answered with HTTP 200 and error 1', async t => {
  const editing = await startEditing(t, { prepare: app => app.addHook('preHandler', async () => { throw new Error('the database is down') }) })
  const answer = await editing.postSignedCallback(editing.fileId, { key: editing.key, status: 2, url: editing.url })
  t.equal(answer.status, 200)
  t.equal(answer.body, '{"error":1}')
  t.equal(await editing.storedText(editing.fileId), OLD)
})
