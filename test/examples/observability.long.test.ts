import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { SECRET } from '../kit/document-server.js'
import { plainEnvironment, root, temporaryDirectory } from '../kit/programs.js'

t.test('observability example: its server starts with the settings its README lists, and serves metrics at their own port', async t => {
  const child = spawn(process.execPath, [join(root, 'examples/observability/server.js')], {
    cwd: await temporaryDirectory(t),
    env: {
      ...plainEnvironment,
      EDITOR_API_URL: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: 'http://127.0.0.1:9',
      PORT: '0',
      METRICS_PORT: '0'
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await exited
  })
  const urls: string[] = []
  for await (const line of createInterface(child.stdout)) {
    const url = /http:[^" ]+/.exec(line)?.[0]
    if (url !== undefined) urls.push(url)
    if (urls.length === 2) break
  }
  const [metrics, origin] = urls as [string, string]
  t.equal((await fetch(`${origin}/Controls/Editor/EditorHandler.ashx?action=download&fileId=guess`)).status, 401)
  t.equal((await fetch(`${origin}/metrics`)).status, 404)
  t.match(
    await (await fetch(metrics)).text(),
    /^onlyoffice_responses_total\{action="download",outcome="failed",http_status="401",code="FST_EDITOR_UNAUTHORIZED"\} 1$/m
  )
})
