import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../../scripts/kill-saves.js', import.meta.url))

t.setTimeout(300_000)

t.test('row 41: SIGKILL at random moments of saves tears nothing and loses nothing that was acknowledged', async t => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--rounds', '15'])
  t.match(stdout, /^rounds 15, SIGKILLs \d+$/m)
  t.comment(stdout)
})
