import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import { expectRescue, OLD, startService } from '../../kit/sessions.js'
import { profiles } from '../../kit/editing.js'

type Failure = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

const isSave = ({ method, body }: FastifyRequest) => method === 'POST' && (body as { status?: number } | undefined)?.status === 2

const failures: Record<string, Failure> = {
  503: (_request, reply) => reply.code(503).send('busy'),
  500: (_request, reply) => reply.code(500).send('<h1>Oops</h1>'),
  429: (_request, reply) => reply.code(429).send('slow down'),
  reset (request, reply) {
    request.raw.socket.resetAndDestroy()
    return reply.hijack()
  }
}

/** A host that fails so often before the plugin sees a save, or after it has answered one. */
function failing (times: number, failure: Failure, when: 'before' | 'after') {
  let left = times
  return (app: FastifyInstance) => {
    const fail = async (request: FastifyRequest, reply: FastifyReply) => {
      if (isSave(request) && left-- > 0) return failure(request, reply)
    }
    if (when === 'before') app.addHook('preHandler', fail)
    else {
      app.addHook('onSend', async (request, reply, payload) => {
        if (!isSave(request) || left-- <= 0) return payload
        failure(request, reply.removeHeader('content-length'))
        return null
      })
    }
  }
}

for (const profile of profiles) {
  for (const [name, failure] of Object.entries(failures)) {
    t.test(`${name} before a save is processed: the document server retries and the save is stored once (${profile})`, async t => {
      const { open, stored, sent, saved, forgotten } = await startService(t, { profile, prepare: failing(2, failure, 'before') })
      const session = await open()
      await session.edit('tried again')
      t.match(await session.close(), { status: 2, accepted: true })
      t.equal(sent(2).length, 3)
      t.equal(await stored(), 'tried again')
      t.equal(saved.length, 1)
      t.strictSame(forgotten(), [])
    })
  }

  t.test(`the answer to a stored save is lost: the repeat is neither fetched nor stored again (${profile})`, async t => {
    const { open, stored, sent, saved, fetches, key } = await startService(t, { profile, prepare: failing(2, failures.reset!, 'after') })
    const session = await open()
    await session.edit('stored once')
    t.match(await session.close(), { status: 2, answer: { error: 0 }, accepted: true })
    t.equal(sent(2).length, 3)
    t.match(sent(2)[0], { answer: null })
    t.equal(saved.length, 1)
    t.equal(fetches(), 1)
    t.equal(await stored(), 'stored once')
    t.not(await key(), session.key)
  })

  t.test(`the application fails four times: the document server keeps the edit, and it is stored when the document is opened again (${profile})`, async t => {
    const service = await startService(t, { profile, prepare: failing(4, failures[503]!, 'before') })
    const session = await service.open()
    await session.edit('not to be lost')
    t.match(await session.close(), { status: 2, httpStatus: 503, accepted: false })
    t.equal(service.sent(2).length, 4)
    await expectRescue(t, service, session, 'not to be lost')
  })

  t.test(`the application never answers status 1: edits are saved all the same (${profile})`, async t => {
    const prepare = (app: FastifyInstance) => {
      app.addHook('preHandler', async (request, reply) => {
        if ((request.body as { status?: number } | undefined)?.status === 1) return reply.code(500).send()
      })
    }
    const { open, stored, key } = await startService(t, { profile, prepare })
    const session = await open()
    t.match(session.events.some(({ type }) => type === 'warning'), true)
    await session.edit('saved')
    t.equal(await stored(), OLD)
    await session.forceSave()
    t.equal(await stored(), 'saved')
    t.equal(await key(), session.key, 'the force save reports that the session is open')
    t.match(await session.close(), { status: 2, accepted: true })
    t.not(await key(), session.key)
  })
}
