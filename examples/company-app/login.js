import cookie from '@fastify/cookie'
import session from '@fastify/session'
import fastifyPlugin from 'fastify-plugin'
import { NotAllowed } from './errors.js'
import { loginPage, send } from './pages.js'

export const PUBLIC = { public: true }
const SESSION_MS = 8 * 60 * 60_000

// Every route needs a login, unless it says `config: PUBLIC`, or its requests come from the document server: these have
// no cookie, and the plugin checks their signatures. `request.user` is who has logged in.
export const login = fastifyPlugin(async (app, { accounts, secret }) => {
  await app.register(cookie)
  await app.register(session, {
    secret,
    store: accounts.sessionStore,
    cookieName: 'session',
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: SESSION_MS },
    rolling: false,
    saveUninitialized: false // or every request of the document server would begin a session
  })
  app.decorateRequest('user', null)

  app.addHook('onRequest', async (request, reply) => {
    refuseOtherSites(request)
    const { onlyoffice, public: isPublic } = request.routeOptions.config
    const { userId } = request.session
    if (userId !== undefined) request.user = await accounts.active(userId)
    if (request.user || isPublic || onlyoffice?.caller === 'document-server') return
    // A page is redirected. A script would take the login page for its answer.
    return request.headers['sec-fetch-mode'] === 'navigate'
      ? reply.redirect('/login', 303)
      : reply.code(401).send({ message: 'Log in first' })
  })
}, { name: 'login' })

export async function loginRoutes (app, { accounts, perMinute }) {
  app.get('/login', { config: PUBLIC }, async (request, reply) => send(reply, loginPage({ hasFailed: false })))

  const rateLimit = { max: perMinute, timeWindow: '1 minute' }
  app.post('/login', { bodyLimit: 4096, config: { ...PUBLIC, rateLimit } }, async (request, reply) => {
    const { login = '', password = '' } = request.body ?? {}
    const user = await accounts.withPassword(login, password)
    if (!user) return send(reply.code(403), loginPage({ hasFailed: true }))
    await request.session.regenerate() // an ID that somebody knew before says nothing
    request.session.userId = user.id
    return reply.redirect('/', 303)
  })

  app.post('/logout', async (request, reply) => {
    await request.session.destroy()
    return reply.redirect('/login', 303)
  })
}

// Against forged requests: browsers say where a request comes from. Others, as the document server, have no cookies.
function refuseOtherSites ({ method, headers, host }) {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, 'sec-fetch-site': site } = headers
  const isOwn = site === undefined ? origin === undefined || URL.parse(origin)?.host === host : site === 'same-origin'
  if (!isOwn) throw new NotAllowed('This request comes from another site')
}
