import Fastify from 'fastify'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import editor from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'

t.test('files are stored in App_Data/uploads below the application root by default, which is created if it is missing', async t => {
  const root = t.testdir()
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(root)

  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, { editorApiUrl: 'http://127.0.0.1:9/api.js', jwtSecret: SECRET, publicBaseUrl: 'http://127.0.0.1:9' })
  const directory = join(root, 'App_Data', 'uploads')
  await writeFile(join(directory, 'report.txt'), 'dropped in by hand')
  t.equal((await app.editorStorage.stat('report'))?.fileType, 'txt')

  const { fileId } = await app.editorControl().uploadDocument(Buffer.from('set by the control'), 'notes.txt')
  t.equal(await readFile(join(directory, `${fileId}.txt`), 'utf8'), 'set by the control')
})
