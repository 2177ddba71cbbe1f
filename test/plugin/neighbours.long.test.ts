import fastifyCaching from '@fastify/caching'
import fastifyCompress from '@fastify/compress'
import fastifyCookie from '@fastify/cookie'
import fastifyCors from '@fastify/cors'
import fastifyCsrf from '@fastify/csrf-protection'
import fastifyEtag from '@fastify/etag'
import fastifyHelmet from '@fastify/helmet'
import fastifyMultipart from '@fastify/multipart'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifySession from '@fastify/session'
import fastifyUnderPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t from 'tap'
import { startService } from '../kit/sessions.js'
import { HANDLER } from '../kit/host.js'

type Prepare = (app: FastifyInstance) => Promise<unknown>

/** What an application has beside the plugin, each in the way that reaches the most routes. */
const neighbours: Readonly<Record<string, Prepare>> = {
  '@fastify/helmet': async app => await app.register(fastifyHelmet, { crossOriginEmbedderPolicy: true }),
  '@fastify/cors': async app => await app.register(fastifyCors, { origin: true, credentials: true }),
  '@fastify/multipart': async app => await app.register(fastifyMultipart, { attachFieldsToBody: true }),
  '@fastify/rate-limit': async app => await app.register(fastifyRateLimit, { max: 1000 }),
  '@fastify/under-pressure': async app => await app.register(fastifyUnderPressure, { maxEventLoopDelay: 60_000 }),
  '@fastify/compress': async app => await app.register(fastifyCompress, { threshold: 0 }),
  '@fastify/etag': async app => await app.register(fastifyEtag),
  '@fastify/caching': async app => await app.register(fastifyCaching, { privacy: fastifyCaching.privacy.PUBLIC, expiresIn: 3600 }),
  async '@fastify/session and @fastify/csrf-protection' (app) {
    await app.register(fastifyCookie)
    await app.register(fastifySession, { secret: 'a-secret-of-the-sessions-in-this-test-0123456789', cookie: { secure: 'auto' } })
    await app.register(fastifyCsrf, { sessionPlugin: '@fastify/session' })
    app.addHook(
      'onRequest',
      (request, reply, done) =>
        request.method === 'POST' && !request.routeOptions.config.onlyoffice
          ? app.csrfProtection(request, reply, done)
          : done()
    )
  },
  'the compilers of the Zod type provider': async app => app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler),
  'hooks for the application\'s own JSON': async app => app.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.config.onlyoffice || !/json/.test(String(reply.getHeader('content-type')))) return payload
    return JSON.stringify({ data: JSON.parse(String(payload)) })
  })
}
const everything: Prepare = async app => { for (const prepare of Object.values(neighbours)) await prepare(app) }

for (const [name, prepare] of Object.entries({ ...neighbours, 'all of them': everything })) {
  t.test(`a document is opened, edited, saved and renamed, and a part of it downloaded, beside ${name}`, async t => {
    const { app, origin, fileId, urls, open, stored } = await startService(t, { prepare, actions: { rename: () => {} } })
    const session = await open({ user: { id: '7', name: 'Ada' } })
    await session.edit('by Ada')
    t.match(await session.close(), { status: 2, accepted: true })
    t.equal(await stored(), 'by Ada')

    const { pageToken, proxyToken } = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
    const renamed = await fetch(`${origin}${HANDLER}/actions/rename`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
      body: '{"name":"Letter"}'
    })
    t.match(await renamed.json(), { title: 'Letter.txt' })

    const whole = await fetch(urls.download(fileId))
    t.equal(await whole.text(), 'by Ada')
    t.equal(whole.headers.get('content-security-policy'), "sandbox; default-src 'none'")
    t.equal(whole.headers.get('cache-control'), 'private, no-cache')
    const part = await fetch(urls.download(fileId), { headers: { range: 'bytes=3-5', 'accept-encoding': 'gzip' } })
    t.strictSame([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 3-5/6', 'Ada'])
    const module = await fetch(`${origin}${HANDLER}/assets/editor.js`)
    t.equal(module.status, 200)
    t.match(module.headers.get('content-type'), 'javascript')
    t.equal(
      (await fetch(`${origin}${HANDLER}?action=report&fileId=${fileId}&code=-4`, {
        method: 'POST',
        headers: { 'x-editor-proxy-token': proxyToken }
      })).status,
      204
    )
  })
}
