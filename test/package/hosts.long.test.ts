import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { documentsIn } from '../kit/storage.js'
import { signed } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { savedAt, startUpstream } from '../kit/http.js'
import { installPacked, type PackedProject, plainEnvironment, root } from '../kit/programs.js'

interface HostReport {
  readonly address: string
  readonly fileId: string
  readonly config: { readonly document: { readonly url: string, readonly key: string }, readonly editorConfig: { readonly callbackUrl: string } }
}

t.setTimeout(300_000)

t.test('an application with the packed package opens a document, stores a save and exits', async t => {
  const project = await installPacked(t, 'fastify-onlyoffice')
  for (const program of ['esm.mjs', 'commonjs.cjs']) {
    await t.test(program, t => roundTrip(t, project, program))
  }
})

async function roundTrip (t: Test, project: PackedProject, program: string): Promise<void> {
  const documentServer = await startUpstream(t, (_request, response) => response.end('second'))
  const directory = t.testdir()
  const host = await startHost(t, project, program, {
    DIRECTORY: directory,
    EDITOR_API_URL: `${documentServer.origin}/web-apps/apps/api/documents/api.js`,
    JWT_SECRET: SECRET
  })
  const exited = once(host, 'exit')
  const { address, fileId, config } = await report(host)
  const { url, key } = config.document
  const here = (publicUrl: string) => publicUrl.replace('http://host.example', address)

  const opened = await fetch(here(url), { headers: { authorization: `Bearer ${signed({ payload: { url } })}` } })
  t.equal(opened.status, 200)
  t.equal(await opened.text(), 'first')

  const payload = { key, status: 2, url: savedAt(documentServer.origin, key, 1, { name: 'output.txt' }), filetype: 'txt' }
  const saved = await fetch(here(config.editorConfig.callbackUrl), { method: 'POST', body: JSON.stringify({ ...payload, token: signed(payload) }) })
  t.equal(await saved.text(), '{"error":0}')
  t.strictSame(await documentsIn(directory), [`${fileId}.txt`])
  t.equal(await readFile(join(directory, `${fileId}.txt`), 'utf8'), 'second')

  host.send('close')
  t.strictSame(await exited, [0, null], 'nothing keeps the process alive')
}

async function startHost (t: Test, project: PackedProject, program: string, environment: Record<string, string>): Promise<ChildProcess> {
  const copy = join(project.directory, program)
  await copyFile(join(root, 'test/package/hosts', program), copy)
  const host = fork(copy, { cwd: project.directory, env: { ...plainEnvironment, ...environment }, execArgv: [] })
  t.teardown(() => host.kill('SIGKILL'))
  return host
}

async function report (host: ChildProcess): Promise<HostReport> {
  const [message] = await Promise.race([
    once(host, 'message'),
    once(host, 'exit').then(([code]) => { throw new Error(`the host ended with ${code}`) })
  ])
  return message
}
