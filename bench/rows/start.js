import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { killedAtExit } from '../framework/cleanup.js'
import { pinned } from '../framework/program.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** @type {import('../framework/measure.js').Figures} */
export const start = {
  name: 'start',
  title: '`npm start` to its URL, after the build',
  does: 'the server of the demo with the emulated document server, in an empty directory; without previews',
  figures: { seconds: { name: 'time', unit: 's', atMost: 6 } },
  async measure (_, folder) {
    const [command = '', ...args] = pinned('measured', [process.execPath, 'examples/demo/server.js'])
    const started = performance.now()
    const child = killedAtExit(spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, PORT: '0', DATA_DIR: folder, THUMBNAILS: 'off' },
      stdio: ['ignore', 'pipe', 'inherit']
    }))
    const exited = once(child, 'exit')
    const [output] = await Promise.race([
      once(child.stdout, 'data'),
      exited.then(([code]) => {
        throw new Error(`the demo ended with code ${code}`)
      })
    ])
    const seconds = (performance.now() - started) / 1000
    child.kill()
    await exited
    if (!String(output).includes('http://127.0.0.1:')) throw new Error(`the demo printed ${output}`)
    return { seconds }
  }
}
