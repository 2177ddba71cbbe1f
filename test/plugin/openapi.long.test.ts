import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { type ActionOptions, type FastifyOnlyofficeOptions } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'

const actions: ActionOptions = {
  rename: () => {},
  images: () => [],
  users: ({ user }) => [{ id: user!.id!, name: 'Ada' }],
  sharing: () => [{ user: 'Ada', permissions: 'Full Access', isLink: false }],
  favorite: () => {},
  create: () => ({ url: '/new' }),
  reference: () => null,
  notify: () => {}
}
const doctor = { authorize: () => 'grant' as const }

interface Operation {
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly parameters?: ReadonlyArray<{ readonly name: string, readonly in: string, readonly required?: boolean }>
  readonly security?: readonly unknown[]
  readonly requestBody?: unknown
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Applications that document themselves in different ways. Each has a route of its own. */
const applications: Readonly<Record<string, (app: FastifyInstance) => Promise<void>>> = {
  async 'OpenAPI 3.0' (app) {
    await app.register(fastifySwagger, { openapi: {} })
    app.get('/own', { schema: { summary: 'of the application' } }, async () => 'own')
  },
  async 'OpenAPI 3.1' (app) {
    await app.register(fastifySwagger, { openapi: { openapi: '3.1.0' } })
    app.get('/own', { schema: { summary: 'of the application' } }, async () => 'own')
  },
  async 'OpenAPI 3.0 with security schemes of its own, and HEAD routes' (app) {
    await app.register(fastifySwagger, {
      exposeHeadRoutes: true,
      openapi: { security: [{ session: [] }], components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'session' } } } }
    })
    app.get('/own', { schema: { summary: 'of the application' } }, async () => 'own')
  },
  async 'the Zod type provider' (app) {
    app.setValidatorCompiler(validatorCompiler).setSerializerCompiler(serializerCompiler)
    await app.register(fastifySwagger, { openapi: {}, transform: jsonSchemaTransform })
    app.get('/own', {
      schema: {
        summary: 'of the application',
        querystring: z.object({ a: z.string().optional() }),
        response: { 200: z.string() }
      }
    }, async () => 'own')
  }
}

async function documentOf (
  t: Test,
  prepare: (app: FastifyInstance) => Promise<void>,
  options: Partial<FastifyOnlyofficeOptions> = {}
): Promise<Document> {
  const { app } = await startHost(t, { prepare, actions, doctor, versions: {}, ...options })
  const document = app.swagger()
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  t.ok(valid, 'the document is valid', { errors })
  t.match(document, { paths: { '/own': { get: { summary: 'of the application' } } } })
  return document as unknown as Document
}

for (const [name, prepare] of Object.entries(applications)) {
  t.test(`${name}: each method of the plugin's routes is described`, async t => {
    const document = await documentOf(t, prepare)
    const { '/own': own, ...paths } = document.paths
    const operations = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map(method => `${method} ${path.replace(HANDLER, '')}`))
    const names = ['config', 'create', 'favorite', 'history', 'historyData', 'images', 'notify', 'reference', 'rename', 'renew', 'restore', 'saveState', 'sharing', 'users']
    t.strictSame(operations.sort(), ['get ', 'get /doctor', ...names.map(action => `post /actions/${action}`), 'post '].sort())
    for (const item of Object.values(paths)) {
      for (const { tags, summary } of Object.values(item)) {
        t.strictSame(tags, ['editor'])
        t.ok(summary)
      }
    }
    const { get, post } = paths[HANDLER]!
    const parameters = (operation: Operation) => operation.parameters!.map(({ in: place, name, required = false }) => `${place} ${name} ${required}`)
    t.match(parameters(get!), ['query action true', 'query fileId false', 'query expires false'])
    t.match(post!.requestBody, { content: { 'application/json': { schema: { required: ['status'], properties: { users: { type: 'array' } } } } } })
    const rename = paths[`${HANDLER}/actions/rename`]!.post!
    t.match(rename.requestBody, { content: { 'application/json': { schema: { required: ['name'] } } } })
    t.strictSame(parameters(rename), ['header x-editor-page-token true'])
    t.strictSame([get!.security, post!.security, rename.security], [[], [], []], 'not what the application requires of its own routes')
  })
}

t.test('an application can hide the routes', async t => {
  const hidden = { swaggerTransform: ({ url }: { readonly url: string }) => ({ schema: { hide: true }, url }) }
  const document = await documentOf(t, applications['OpenAPI 3.0']!, { config: hidden })
  t.strictSame(Object.keys(document.paths), ['/own'])
})

t.test('@fastify/swagger-ui serves a document with the plugin\'s routes, below a base path', async t => {
  const host = await startHost(t, {
    prepare: async app => {
      await app.register(fastifySwagger, { openapi: { servers: [{ url: 'https://app.example.com/Controls' }] } })
      await app.register(fastifySwaggerUi, { routePrefix: '/documentation' })
    }
  })
  const document = await (await fetch(`${host.origin}/documentation/json`)).json() as Document
  t.strictSame(Object.keys(document.paths).filter(path => !path.includes('/actions/')), ['/Editor/EditorHandler.ashx'], 'relative to the base path')
  t.equal((await fetch(`${host.origin}/documentation`)).status, 200)
})
