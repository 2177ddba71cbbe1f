import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Where nginx is, also for users whose PATH has no /usr/sbin; `undefined` if it is not installed. */
export function nginxProgram () {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  return folders.map(folder => join(folder, 'nginx')).find(path => existsSync(path))
}

/**
 * Starts nginx, as any user. It ends with this process.
 * @param {object} options
 * @param {string} options.directory an existing one, for its files
 * @param {number} options.port on which a server of `http` listens
 * @param {string} options.http the contents of its `http` block
 */
export async function startNginx ({ directory, port, http }) {
  const program = nginxProgram()
  if (program === undefined) throw new Error('nginx is not installed')
  const log = join(directory, 'error.log')
  const conf = join(directory, 'nginx.conf')
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${join(directory, name)};`)
  await writeFile(conf, `daemon off;
${process.getuid?.() === 0 ? 'user root; # its workers use the same directory' : ''}
worker_processes 1;
pid ${join(directory, 'nginx.pid')};
error_log ${log} warn;
events { worker_connections 1024; }
http {
  access_log off;
  ${temp.join('\n  ')}
${http}
}
`)

  // setpriv: it is told to end when this process has died.
  const command = [...process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'TERM'] : [], program]
  const child = spawn(/** @type {string} */ (command[0]), [...command.slice(1), '-e', log, '-p', directory, '-c', conf], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  const exited = once(child, 'exit')
  const deadline = performance.now() + 10_000
  while (!await isListening(port)) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`nginx does not start: see ${log}`)
    await delay(10)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    async stop () {
      child.kill('SIGTERM')
      await exited
    }
  }
}

/** @param {number} port */
async function isListening (port) {
  const socket = createConnection(port, '127.0.0.1')
  const isConnected = await once(socket, 'connect').then(() => true, () => false)
  socket.destroy()
  return isConnected
}
