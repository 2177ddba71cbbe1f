import Fastify, { type FastifyRequest } from 'fastify'
import t from 'tap'
import editor, { type EditorControl, type EditorOptions, fileStorage, type HttpClient, type SignedConfig, type Storage, undiciClient } from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'

// Compiled by `npm run typecheck`: the wrong uses below must stay errors, the right ones must stay without one.

t.test('the README\'s first example compiles and runs', async t => {
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(t.testdir({}))
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, {
    editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
    jwtSecret: SECRET,
    publicBaseUrl: 'https://app.example.com'
  })
  app.get<{ Params: { fileId: string } }>('/edit/:fileId', async (request, reply) => {
    const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
    await control.openDocument(request.params.fileId, { name: 'Report.docx' })
    return reply.type('text/html').send(control.render())
  })
  const { fileId } = await app.editorStorage.create('docx', Buffer.from('content'))
  const page = await app.inject(`/edit/${fileId}`)
  t.equal(page.statusCode, 200)
  t.match(page.body, '"title":"Report.docx"')
  t.equal((await app.inject('/edit/unknown')).statusCode, 404)
})

t.test('the public types accept valid use and reject everything else', async t => {
  const options: EditorOptions = {
    editorApiUrl: 'https://docs.example.com/api.js',
    jwtSecret: [SECRET],
    publicBaseUrl: 'https://app.example.com',
    storage: fileStorage({ directory: 'x' }),
    httpClient: undiciClient(),
    proxy: { allow: 'any' },
    authorize: async (request: FastifyRequest, target) =>
      target.action === 'proxy' ? target.url.startsWith('https:') : target.fileId === String(request.headers['x-file']),
    doctor: { authorize: async request => request.headers['x-admin'] === 'yes' ? 'grant' : undefined },
    onSaved: event => {
      const status: 2 | 6 = event.status
      t.comment(status)
    },
    onCallback: ({ status, userdata }) => {
      const known: number = status
      t.comment(known, userdata)
    }
  }
  // @ts-expect-error a profile that there is not
  const wrongProfile: EditorOptions = { ...options, profile: 'strict' }
  // @ts-expect-error a required option is missing
  const missing: EditorOptions = { editorApiUrl: 'x', jwtSecret: 'x' }
  // @ts-expect-error misspelled
  const misspelled: EditorOptions = { ...options, jwtsecret: 'x' }

  function usesControl (control: EditorControl, storage: Storage, client: HttpClient): unknown {
    const config: SignedConfig | null = control.config
    const text: string | undefined = config?.document.key
    // @ts-expect-error it is computed
    control.hasDocument = true
    // @ts-expect-error a status is a number
    const status: string = 200 as Awaited<ReturnType<HttpClient['request']>>['status']
    return [text, status, storage.stat('a'), client.close?.()]
  }
  t.type(usesControl, 'function')
  t.ok(wrongProfile && missing && misspelled)
  await options.httpClient?.close?.()
})

t.test('the defaults of a control are typed by the editor\'s own types', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, {
    editorApiUrl: 'https://docs.example.com/api.js',
    jwtSecret: SECRET,
    publicBaseUrl: 'https://app.example.com',
    storage: fileStorage({ directory: t.testdir({}) })
  })
  app.editorControl({
    mode: 'view',
    lang: 'de',
    type: 'mobile',
    permissions: { edit: false },
    customization: { autosave: false },
    document: { info: { owner: 'x' } },
    editorConfig: { region: 'de-AT' }
  })
  // @ts-expect-error a mode that there is not
  t.throws(() => app.editorControl({ mode: 'read' }), { code: 'FST_EDITOR_INVALID_OPTION' })
  // @ts-expect-error a permission is true or false
  t.throws(() => app.editorControl({ permissions: { edit: 'no' } }), { code: 'FST_EDITOR_INVALID_OPTION' })
  // @ts-expect-error the key is the control's
  t.throws(() => app.editorControl({ document: { key: 'mine' } }), { code: 'FST_EDITOR_INVALID_OPTION' })
})
