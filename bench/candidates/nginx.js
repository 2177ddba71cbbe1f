import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { killedAtExit } from '../framework/cleanup.js'
import { content } from '../framework/content.js'
import { pinned } from '../framework/program.js'

/** Of the times in /proc, on every Linux of today. */
const TICKS_PER_SECOND = 100
const PAGE_SIZE = 4096
const ATTEMPTS = 100
const ATTEMPT_MS = 20

/**
 * nginx, one process, with one document. `null` where it is not installed.
 * @param {string} folder
 * @param {number} size
 */
export async function startNginx (folder, size) {
  if (spawnSync('nginx', ['-v']).status !== 0) return null
  const root = join(folder, 'nginx')
  await mkdir(root, { recursive: true })
  await writeFile(join(root, 'document.txt'), content(size, 0))
  const port = await freePort()
  await writeFile(join(root, 'nginx.conf'), configuration(root, port))
  const [command = '', ...args] = pinned('measured', [
    'nginx',
    '-p',
    root,
    '-e',
    'stderr',
    '-c',
    join(root, 'nginx.conf')
  ])
  const child = killedAtExit(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
  const exited = once(child, 'exit')
  const origin = `http://127.0.0.1:${port}`
  await answering(`${origin}/document.txt`)

  return {
    started: { origin, downloadPath: '/document.txt' },
    async usage () {
      const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ').map(Number) ?? []
      const [user = 0, system = 0, rss = 0] = [fields[11], fields[12], fields[21]]
      return { cpu: (user + system) / TICKS_PER_SECOND, rss: rss * PAGE_SIZE / 1e6, peakRss: rss * PAGE_SIZE / 1e6 }
    },
    async stop () {
      child.kill()
      await exited
    }
  }
}

/**
 * @param {string} root
 * @param {number} port
 */
function configuration (root, port) {
  return `daemon off; master_process off; pid ${root}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off; sendfile on; keepalive_requests 1000000000;
  client_body_temp_path ${root}/body; proxy_temp_path ${root}/proxy; fastcgi_temp_path ${root}/fastcgi; uwsgi_temp_path ${root}/uwsgi; scgi_temp_path ${root}/scgi;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`
}

async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  await once(server, 'close')
  return port
}

/** @param {string} url */
async function answering (url) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const response = await fetch(url).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return
    await delay(ATTEMPT_MS)
  }
  throw new Error(`${url} does not answer`)
}
