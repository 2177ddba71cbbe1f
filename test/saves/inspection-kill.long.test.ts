// An instance that is killed while a save is inspected: the document server's retry is stored by another one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/index.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { plainEnvironment, root } from '../kit/programs.js'

const PROGRAM = `
import Fastify from 'fastify'
import editor, { fileStorage } from './lib/index.js'
const { directory, editorApiUrl, publicBaseUrl, jwtSecret, hangs } = JSON.parse(process.argv[1])
const app = Fastify()
await app.register(editor, {
  editorApiUrl, publicBaseUrl, jwtSecret, storage: fileStorage({ directory }),
  inspect: ({ content }) => { console.log('inspecting'); return hangs ? new Promise(() => {}) : true }
})
app.get('/config/:fileId', async ({ params }) => (await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(params.fileId)).config)
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)`

async function startInstance (t: Test, options: object) {
  const child = spawn(process.execPath, ['--import', './scripts/typescript/register.js', '--input-type=module', '-e', PROGRAM, JSON.stringify(options)], {
    cwd: root,
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const line = async (): Promise<string> => (await lines.next()).value
  return { port: Number(await line()), line, kill }
}

t.test('an instance is killed while it inspects: the save is stored by another one, and nothing is left', async t => {
  t.setTimeout(300_000)
  const directory = join(t.testdir(), 'uploads')
  const storage = fileStorage({ directory })
  const { fileId } = await storage.create('txt', Buffer.from('old'))
  const documentServer = await startDocumentServer(t)
  let port = 0
  const { origin } = await listen(t, net.createServer(socket => {
    const target = net.connect(port, '127.0.0.1').on('error', () => socket.resetAndDestroy())
    socket.on('error', () => target.destroy()).pipe(target).pipe(socket)
    target.on('close', () => socket.destroy())
  }))
  const options = { directory, editorApiUrl: documentServer.editorApiUrl, publicBaseUrl: origin, jwtSecret: SECRET }
  const [a, b] = await Promise.all([startInstance(t, { ...options, hangs: true }), startInstance(t, options)])
  port = a.port
  const session = await documentServer.open(await (await fetch(`${origin}/config/${fileId}`)).json() as never)
  await session.edit('new')
  const closed = session.close()
  t.equal(await a.line(), 'inspecting')
  t.equal(await readFile(join(directory, `${fileId}.txt`), 'utf8'), 'old')
  port = b.port
  await a.kill()
  t.match(await closed, { status: 2, accepted: true })
  t.equal(await b.line(), 'inspecting')
  t.equal(await readFile(join(directory, `${fileId}.txt`), 'utf8'), 'new')
  await fileStorage({ directory }).ready() // as a later start
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.fastify-onlyoffice-')), [`${fileId}.txt`])
})
