import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { nginxProgram } from '../../examples/cluster/nginx.js'
import { missingPrograms } from '../../scripts/ceph.js'
import { plainEnvironment, root } from '../kit/programs.js'

const missing = [...missingPrograms(), ...(nginxProgram() ? [] : ['nginx'])]

t.test('cluster example: two instances behind nginx on an object store give everybody the same document, also after one was killed', {
  skip: missing.length > 0 && `not installed: ${missing.join(', ')}`
}, async t => {
  const child = spawn(process.execPath, [join(root, 'examples/cluster/local.js')], { env: plainEnvironment, stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit') as Promise<[number | null]>
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /^Documents: (\S+)$/.exec(line)?.[1] ?? ''
    if (url) break
  }
  child.stdout.resume()

  /** Answered by one instance after the other. */
  async function instances (): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await (await fetch(`${url}/health`)).json() as { pid: number }))
    return [...new Set(answers.map(({ pid }) => pid))]
  }
  while ((await instances()).length < 2) await delay(100)

  const created = await fetch(`${url}/documents`, { method: 'POST', redirect: 'manual' })
  t.equal(created.status, 303)
  const page = `${url}${created.headers.get('location')}`
  async function opened () {
    const html = await (await fetch(page)).text()
    return JSON.parse(/<script type="application\/json">(.*)<\/script>/.exec(html)![1]!).document as { key: string, url: string }
  }
  const configs = await Promise.all(Array.from({ length: 8 }, opened))
  t.equal(new Set(configs.map(({ key }) => key)).size, 1)

  const { status, headers } = await fetch(configs[0]!.url, { redirect: 'manual' })
  t.equal(status, 302)
  t.not(new URL(headers.get('location')!).origin, url, 'the bytes come from the object store')
  const content = await fetch(configs[0]!.url)
  t.equal(Buffer.from(await content.arrayBuffer()).toString('latin1', 0, 2), 'PK')

  const [victim] = await instances()
  process.kill(victim!, 'SIGKILL')
  const afterwards = await Promise.all(Array.from({ length: 8 }, opened))
  t.strictSame(new Set(afterwards.map(({ key }) => key)), new Set([configs[0]!.key]), 'nobody notices')

  child.kill('SIGINT')
  const [code] = await exited
  t.equal(code, 0)
})
