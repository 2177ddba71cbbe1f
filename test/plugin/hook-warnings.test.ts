import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { memoryStorage } from '../../lib/index.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'
import { memoryLog, WARN } from '../kit/log.js'

interface Service {
  readonly host: Host
  readonly fileId: string
  readonly callback: object
  /** The lines about hooks of the application. */
  warnings(): string[]
}

async function start (t: Test, options: HostOptions): Promise<Service> {
  const log = memoryLog()
  const host = await startHost(t, { server: log.server, ...options })
  const { fileId } = await host.storage.create('txt', Buffer.from('content'))
  return {
    host,
    fileId,
    callback: { key: host.keys.of((await host.storage.stat(fileId))!), status: 1 },
    warnings: () =>
      log.records().filter(({ level, msg }) => level === WARN && msg.startsWith('a hook of the application ended')).map(
        ({ msg }) => msg
      )
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => unknown
const onRequest = (hook: Hook) => (app: FastifyInstance) =>
  app.addHook('onRequest', async (request, reply) => await hook(request, reply))
const fails = (statusCode: number) => {
  throw Object.assign(new Error('refused'), { statusCode, code: 'APP_REFUSED' })
}

const ends: Readonly<
  Record<string, { readonly prepare: (app: FastifyInstance) => unknown, readonly expected: readonly RegExp[] }>
> = {
  'a login hook that answers': {
    prepare: onRequest((_request, reply) => reply.code(401).send('log in')),
    expected: [
      /download.* status 401.*cannot be opened.*routeOptions\.config\.onlyoffice\.caller.*docs\/hooks\.md#logins$/,
      /callback.* status 401.*not saved/
    ]
  },
  'a login hook that redirects': {
    prepare: onRequest((_request, reply) => reply.redirect('/login')),
    expected: [/download.* status 302/, /callback.* status 302/]
  },
  'a login hook that throws': {
    prepare: onRequest(() => fails(401)),
    expected: [/download.* status 401/, /callback.* status 401/]
  },
  'a login hook that writes to the socket itself': {
    prepare: onRequest((_request, reply) => {
      reply.hijack().raw.writeHead(401).end('log in')
    }),
    expected: [/download.* status 401/, /callback.* status 401/]
  },
  'a login page with status 200, which would pass for an answer to a callback': {
    prepare: onRequest((_request, reply) => reply.type('text/html').send('<form>')),
    expected: [/callback.* status 200/]
  },
  'a check of forms before the handler': {
    prepare: app => app.addHook('preHandler', async request => request.method === 'POST' ? fails(403) : undefined),
    expected: [/callback.* status 403/]
  },
  'a rate limiter': {
    prepare: onRequest(() => fails(429)),
    expected: [/download.* status 429.*higher limit/, /callback.* status 429/]
  }
}

for (const [name, { prepare, expected }] of Object.entries(ends)) {
  t.test(`one warning for each status, and no more of them: ${name}`, async t => {
    const { host, fileId, callback, warnings } = await start(t, { prepare })
    for (let times = 0; times < 3; times++) {
      await fetch(host.urls.download(fileId), { redirect: 'manual' })
      await (await fetch(host.urls.callback(fileId), {
        method: 'POST',
        body: JSON.stringify(callback),
        redirect: 'manual'
      })).text()
    }
    t.equal(warnings().length, expected.length, 'lines', { found: warnings() })
    for (const [index, line] of expected.entries()) t.match(warnings()[index], line)
  })
}

t.test('no warning about requests that the plugin answers itself, whatever it answers', async t => {
  const broken = {
    ...memoryStorage(),
    read: async () => {
      throw Object.assign(new Error('broken'), { code: 'EIO' })
    }
  }
  for (const options of [{}, { storage: broken as never }, { profile: 'classic' as const }, { bodyLimit: 10 }, {
    authorize: () => false
  }]) {
    const { host, fileId, callback, warnings } = await start(t, options)
    host.app.editorControl()
    await (await host.downloadAsDocumentServer(fileId)).text()
    await (await host.downloadAsDocumentServer('absent')).text()
    await (await fetch(host.handler({ action: 'download', fileId }))).text()
    await (await fetch(`${host.urls.download(fileId)}&fileId=b`)).text()
    await host.postSignedCallback(fileId, callback)
    await host.postCallback(fileId, callback)
    await host.postCallback(fileId, '{')
    await host.postCallback(fileId, '')
    await host.postCallback(fileId, callback, { 'content-type': 'of/no/kind' })
    await host.postCallback(fileId, { ...callback, key: 'of another file' })
    await (await fetch(host.urls.callback(fileId), { method: 'PUT', body: 'x' })).text()
    t.strictSame(warnings(), [])
  }
})

t.test('no warning about requests of others that a login hook refuses, nor about what a hook may do', async t => {
  const { host, fileId, warnings } = await start(t, {
    prepare: onRequest(({ headers }, reply) => {
      if (headers['x-cache']) {
        return reply.code(Number(headers['x-cache'])).send(headers['x-cache'] === '304' ? undefined : 'cached')
      }
      return reply.code(401).send('log in')
    })
  })
  const download = host.urls.download(fileId)
  await fetch(host.handler({ action: 'download', fileId })) // a stranger
  await fetch(download.replace(/signature=[^&]*/, 'signature=wrong'))
  await fetch(host.handler({ action: 'callback', fileId }), { method: 'POST' })
  await fetch(download, { method: 'HEAD' })
  // a user who has opened the URL of a configuration
  await fetch(download, { headers: { 'sec-fetch-site': 'same-origin' } })
  await fetch(download, { headers: { 'x-cache': '200' } })
  await fetch(download, { headers: { 'x-cache': '304' } })
  t.strictSame(warnings(), [])
  await fetch(download)
  t.equal(warnings().length, 1, 'but about one of the document server')
})
