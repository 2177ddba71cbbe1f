import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../../scripts/kill-saves.js', import.meta.url))

t.setTimeout(300_000)

t.test('SIGKILL at random moments of saves leaves no truncated file and loses no acknowledged save', async t => {
  const script = spawn(process.execPath, [SCRIPT, '--rounds', '15'])
  const [report, violation, ended] = await Promise.all([text(script.stdout), text(script.stderr), once(script, 'exit')])
  t.same(ended, [0, null], violation)
  t.match(report, /^rounds 15, SIGKILLs \d+$/m)
  t.comment(report)
})
