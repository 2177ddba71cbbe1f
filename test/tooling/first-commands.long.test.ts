import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readPage } from '../docs/markdown.js'
import { plainEnvironment, root, run } from '../kit/programs.js'

// Word for word. The second one runs this test, too.

const environment = {
  ...plainEnvironment,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  CI: '',
  PORT: '0',
  THUMBNAILS: 'off' // LibreOffice would take the time of other tests
}
const [first] = readPage('README.md').blocks.filter(({ language }) => language === 'sh')
const commands = first!.text.trim().split('\n').map(line => line.replace(/\s+#.*$/, ''))
const isRepository = existsSync(join(root, '.git'))

t.setTimeout(600_000)

t.test(
  'the first command of the README starts the demo in a new clone',
  { skip: !isRepository && 'This machine has no repository' },
  async t => {
    t.strictSame(commands, ['npm ci && npm start', 'npm ci && npm test'])
    const [start = ''] = commands
    const { printed, stop } = execute(t, start, await clone(t))
    const [url = ''] = await printed(/http:\/\/\S+/)
    const page = await fetch(url)
    t.equal(page.status, 200)
    t.match(await page.text(), /<!doctype html>/i)
    await stop()
  })

async function clone (t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'first-commands-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  await run('git', ['clone', '--quiet', root, directory], { env: environment })
  return directory
}

/** Runs a command line as a shell does. */
function execute (t: Test, command: string, directory: string) {
  const child = spawn('sh', ['-c', command], { cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const closed = once(child, 'close') as Promise<[number | null]>
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', chunk => { output += chunk })

  /** With all that it has started. */
  async function stop (): Promise<void> {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await closed
  }
  t.teardown(stop)

  return {
    stop,
    async printed (pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        const event = await Promise.race([once(child.stdout, 'data').then(() => 'data'), closed.then(() => 'close')])
        if (event === 'close') throw new Error(`it has ended: ${output}`)
      }
    }
  }
}
