import Fastify from 'fastify'
import t from 'tap'
import editor from '../../lib/index.js'
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
    await control.openDocument(request.params.fileId, { title: 'Report.docx' })
    return reply.type('text/html').send(control.render())
  })
  const { fileId } = await app.editorStorage.create('docx', Buffer.from('content'))
  const page = await app.inject(`/edit/${fileId}`)
  t.equal(page.statusCode, 200)
  t.match(page.body, '"title":"Report.docx"')
  t.equal((await app.inject('/edit/unknown')).statusCode, 404)
})
