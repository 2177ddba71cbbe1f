import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import t, { type Test } from 'tap'
import { Compile } from 'typebox/schema'
import { z } from 'zod'
import { type ActionOptions, type EditorOptions } from '../../lib/index.js'
import { HANDLER, type Host, startHost } from '../kit/host.js'

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
  readonly parameters?: ReadonlyArray<
    {
      readonly name: string,
      readonly in: string,
      readonly required?: boolean,
      readonly schema: { readonly enum?: readonly string[] }
    }
  >
  readonly security?: ReadonlyArray<Readonly<Record<string, readonly string[]>>>
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes?: Readonly<Record<string, { readonly type: string, readonly name?: string }>> }
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
  options: Partial<EditorOptions>
): Promise<{ readonly host: Host, readonly document: Document }> {
  const host = await startHost(t, { prepare, actions, doctor, versions: {}, ...options })
  const document = host.app.swagger()
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  t.ok(valid, 'the document is valid', { errors })
  t.match(document, { paths: { '/own': { get: { summary: 'of the application' } } } })
  return { host, document: document as unknown as Document }
}

for (const [name, prepare] of Object.entries(applications)) {
  t.test(`${name}: the plugin's routes are hidden`, async t => {
    const { host, document } = await documentOf(t, prepare, {})
    t.strictSame(Object.keys(document.paths), ['/own'])
    t.equal((await fetch(`${host.origin}${HANDLER}/assets/editor.js`)).status, 200, 'and are there')
  })

  t.test(`${name}: with the option openapi, each method of the plugin's routes is described`, async t => {
    const { document } = await documentOf(t, prepare, { openapi: true })
    const { '/own': own, ...paths } = document.paths
    const operations = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map(method => `${method} ${path.replace(HANDLER, '')}`))
    const names = ['config', 'create', 'favorite', 'history', 'history-data', 'images', 'notify', 'reference', 'rename', 'renew', 'restore', 'save-state', 'sharing', 'users']
    t.strictSame(operations.sort(), ['get ', 'get /doctor', ...names.map(action => `post /actions/${action}`), 'post '].sort())
    for (const item of Object.values(paths)) {
      for (const { tags, summary, responses } of Object.values(item)) {
        t.strictSame(tags, ['editor'])
        t.ok(summary)
        t.ok(Object.keys(responses).length > 2)
      }
    }
    const { get, post } = paths[HANDLER]!
    t.strictSame(get!.parameters?.find(({ name }) => name === 'action')?.schema.enum, ['download', 'proxy'])
    t.strictSame(post!.parameters?.find(({ name }) => name === 'action')?.schema.enum, ['callback', 'report'])
    t.strictSame(get!.security, [{ editorUrlSignature: [] }, { editorProxyToken: [] }])
    t.strictSame(post!.security, [{ editorUrlSignature: [], editorDocumentServer: [] }, { editorProxyToken: [] }])
    t.match(post!.requestBody, { content: { 'application/json': { schema: { required: ['status'], properties: { users: { type: 'array' } } } } } })
    t.match(paths[`${HANDLER}/actions/rename`]!.post!.requestBody, { content: { 'application/json': { schema: { required: ['name'] } } } })
    t.strictSame(paths[`${HANDLER}/actions/rename`]!.post!.security, [{ editorPageToken: [] }])
  })
}

t.test('the described credentials are those that the options require', async t => {
  const { document } = await documentOf(t, applications['OpenAPI 3.0']!, {
    openapi: { tags: ['documents', 'internal'] },
    profile: 'classic',
    requireToken: true,
    documentServer: { authorizationHeader: 'X-Docs' }
  })
  const { get, post } = document.paths[HANDLER]!
  t.strictSame(get!.security, [{ editorDocumentServer: [] }, {}])
  t.strictSame(post!.security, [{ editorDocumentServer: [] }, {}])
  t.strictSame(get!.tags, ['documents', 'internal'])
  t.match(document.components.securitySchemes, { editorDocumentServer: { type: 'apiKey', name: 'x-docs' }, editorPageToken: { name: 'x-editor-page-token' } })
  t.strictSame(Object.keys(document.components.securitySchemes!).sort(), ['editorDocumentServer', 'editorPageToken'])
})

t.test('actions answer as described', async t => {
  const { host, document } = await documentOf(t, applications['OpenAPI 3.1']!, { openapi: true })
  const { fileId } = await host.storage.create('xlsx', Buffer.from('content'))
  const { pageToken } = await host.app.editorControl({ user: { id: '7', name: 'Ada' }, mode: 'edit' }).openDocument(fileId)
  const bodies = {
    config: { purpose: 'refresh' },
    renew: {},
    images: { c: 'add' },
    users: { c: 'mention' },
    sharing: {},
    favorite: { favorite: true },
    create: { format: 'docx' },
    reference: { path: 'a.xlsx' },
    notify: { emails: ['ada@example.com'], message: 'x' },
    history: {},
    'history-data': { version: 1 },
    restore: { version: 1 }
  }
  for (const [name, body] of Object.entries(bodies)) {
    const response = await fetch(`${host.origin}${HANDLER}/actions/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
      body: JSON.stringify(body)
    })
    const { content } = document.paths[`${HANDLER}/actions/${name}`]!.post!.responses[response.status]!
    const answer = await response.json()
    t.ok(Compile(content!['application/json']!.schema).Check(answer), `${name}: ${response.status}`, { answer })
  }
  const { content } = document.paths[`${HANDLER}/doctor`]!.get!.responses[200]!
  t.ok(Compile(content!['application/json']!.schema).Check(await (await fetch(`${host.origin}${HANDLER}/doctor`)).json()), 'doctor')
})

t.test('a Swagger 2 document never contains the plugin\'s routes', async t => {
  const host = await startHost(t, { prepare: app => app.register(fastifySwagger, { swagger: {} }), openapi: true })
  t.strictSame(Object.keys(host.app.swagger().paths ?? {}), [])
})

t.test('@fastify/swagger-ui serves a document with the plugin\'s routes, below a base path', async t => {
  const host = await startHost(t, {
    openapi: true,
    prepare: async app => {
      await app.register(fastifySwagger, { openapi: { servers: [{ url: 'https://app.example.com/Controls' }] } })
      await app.register(fastifySwaggerUi, { routePrefix: '/documentation' })
    }
  })
  const document = await (await fetch(`${host.origin}/documentation/json`)).json() as Document
  t.strictSame(Object.keys(document.paths).filter(path => !path.includes('/actions/')), ['/Editor/EditorHandler.ashx'], 'relative to the base path')
  t.equal((await fetch(`${host.origin}/documentation`)).status, 200)
})
