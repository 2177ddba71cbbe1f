import createError from '@fastify/error'
import t from 'tap'
import { NEW, OLD, profiles, startEditing } from '../helpers/editing.js'

for (const profile of profiles) {
  for (const status of [429, 503]) {
    t.test(`a host that is too busy for a callback says so with ${status}, and the document server tries again, ${profile}`, async t => {
      const Busy = createError('HOST_BUSY', 'try again later', status)
      let busy = true
      const editing = await startEditing(t, {
        profile,
        prepare: app => app.addHook('onRequest', async (_request, reply) => {
          if (!busy) return
          reply.header('retry-after', '1')
          throw new Busy()
        })
      })
      const save = { key: editing.key, status: 2, url: editing.url }
      const refused = await editing.postSignedCallback(editing.fileId, save)
      t.equal(refused.status, status)
      t.equal(refused.headers.get('retry-after'), '1')
      t.equal(refused.body, 'try again later')
      await editing.unchanged(t, 'busy')

      busy = false
      t.equal((await editing.postSignedCallback(editing.fileId, save)).body, '{"error":0}')
      t.equal(await editing.storedText(editing.fileId), NEW)
    })
  }

  t.test(`whatever else a hook of the host fails with is an answer of the specification: 200, error 1, ${profile}`, async t => {
    const editing = await startEditing(t, { profile, prepare: app => app.addHook('preHandler', async () => { throw new Error('the database is down') }) })
    const answer = await editing.postSignedCallback(editing.fileId, { key: editing.key, status: 2, url: editing.url })
    t.equal(answer.status, 200)
    t.equal(answer.body, '{"error":1}')
    t.equal(await editing.storedText(editing.fileId), OLD)
  })
}
