import cookie from '@fastify/cookie'
import fastifyPlugin from 'fastify-plugin'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */

const COOKIE = 'user'

/**
 * In your application: those who have an account.
 * @type {ReadonlyMap<string, { id: string, name: string }>}
 */
const users = new Map([['ada', { id: 'ada', name: 'Ada Lovelace' }], ['grace', { id: 'grace', name: 'Grace Hopper' }]])

/**
 * Every route needs a login, unless it says `config: { public: true }`, or its requests come from the document server:
 * these have no cookie, and the plugin checks their signatures.
 */
export const login = fastifyPlugin(
  /**
   * @param {FastifyInstance} app
   * @param {{ secret: string }} options
   */
  async (app, { secret }) => {
    await app.register(cookie, { secret })

    app.addHook('onRequest', async (request, reply) => {
      const { editor, public: isPublic } =
        /** @type {{ public?: boolean } & typeof request.routeOptions.config} */ (request.routeOptions.config)
      if (isPublic || editor?.caller === 'document-server' || userOf(request)) return
      // A page is redirected. A script would take the login page for its answer.
      return request.headers['sec-fetch-mode'] === 'navigate'
        ? reply.redirect('/login')
        : reply.code(401).send({ message: 'Log in first' })
    })

    app.get(
      '/login',
      { config: { public: true } },
      async (request, reply) =>
        reply.type('text/html; charset=utf-8').send(`<!doctype html>
      <html lang="en"><meta name="viewport" content="width=device-width"><title>Login</title><link rel="stylesheet" href="/style.css">
      <h1>Who are you?</h1>${Array.from(users.values(), ({ id, name }) => `<form method="post" action="/login/${id}"><button>${name}</button></form>`).join('')}`))

    // In your application: with a password, or by an identity provider.
    app.post('/login/:id', { config: { public: true } }, async (request, reply) => {
      const { id } = /** @type {{ id: string }} */ (request.params)
      if (!users.has(id)) return reply.code(403).send({ message: 'Nobody has this name' })
      // sameSite: forms of other sites do not carry the cookie.
      return reply.setCookie(COOKIE, id, {
        signed: true,
        httpOnly: true,
        sameSite: 'lax',
        secure: 'auto',
        path: '/',
        maxAge: 8 * 60 * 60
      }).redirect('/', 303)
    })

    app.post('/logout', async (request, reply) => reply.clearCookie(COOKIE, { path: '/' }).redirect('/login', 303))

    // A form of a login button, which has no fields.
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, _body, done) => done(null)
    )
  },
  { name: 'login' }
)

/**
 * The user who has logged in.
 * @param {FastifyRequest} request
 */
export function userOf (request) {
  const { valid, value } = request.unsignCookie(request.cookies[COOKIE] ?? '')
  return valid && value !== null ? users.get(value) : undefined
}
