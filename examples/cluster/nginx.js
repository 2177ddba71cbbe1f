import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const TEMPLATE = new URL('nginx.conf.template', import.meta.url)
const START_MS = 10_000

/** Where nginx is, also for users whose PATH has no /usr/sbin; `undefined` if it is not installed. */
export function nginxProgram () {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  return folders.map(folder => join(folder, 'nginx')).find(path => existsSync(path))
}

/**
 * Starts nginx in front of two instances, as any user. It ends with this process.
 * @param {object} options
 * @param {string} options.directory an existing one, for its files
 * @param {number} options.port to listen on
 * @param {readonly number[]} options.instances their ports
 * @param {string} [options.saveTimeout] how long it waits for an instance that handles a callback
 */
export async function startNginx ({ directory, port, instances, saveTimeout = '330s' }) {
  const program = nginxProgram()
  if (program === undefined) throw new Error('nginx is not installed')
  /** @type {Record<string, string>} */
  const variables = {
    LISTEN: `127.0.0.1:${port}`,
    INSTANCE_1: `127.0.0.1:${instances[0]}`,
    INSTANCE_2: `127.0.0.1:${instances[1]}`,
    SAVE_TIMEOUT: saveTimeout
  }
  const site = (await readFile(TEMPLATE, 'utf8')).replace(
    /\$\{([A-Z_0-9]+)\}/g,
    (given, name) => variables[name] ?? given
  )
  const conf = join(directory, 'nginx.conf')
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name =>
    `  ${name}_temp_path ${join(directory, name)};`
  )
  await writeFile(
    conf,
    [
      'daemon off;',
      ...(process.getuid?.() === 0 ? ['user root;'] : []), // its workers use the same directory
      'worker_processes 1;',
      `pid ${join(directory, 'nginx.pid')};`,
      `error_log ${join(directory, 'error.log')} warn;`,
      'events { worker_connections 1024; }',
      'http {',
      '  access_log off;',
      ...temp,
      site,
      '}'
    ].join('\n')
  )

  // setpriv: it is told to end when this process has died.
  const child = spawn('setpriv', [
    '--pdeathsig',
    'TERM',
    program,
    '-e',
    join(directory, 'error.log'),
    '-p',
    directory,
    '-c',
    conf
  ], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + START_MS
  while (!await answers(url)) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`nginx does not start: see ${join(directory, 'error.log')}`)
    }
    await delay(50)
  }

  return {
    url,
    async stop () {
      child.kill('SIGTERM')
      await exited
    }
  }
}

/**
 * Whatever it answers.
 * @param {string} url
 * @returns {Promise<boolean>}
 */
async function answers (url) {
  return await new Promise(resolve => {
    http.get(url, { agent: false }, response => {
      response.resume()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}
