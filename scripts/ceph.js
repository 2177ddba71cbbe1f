// A Ceph object store for tests: a monitor, an object storage daemon that keeps everything in memory, and the gateway
// that speaks S3, all on loopback. From Debian's packages ceph-mon, ceph-osd and radosgw.
//   node scripts/ceph.js   starts one, prints where it is and ends it on SIGINT or SIGTERM
import { execFile, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROGRAMS = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']
/** Of `setpriv`: the program is killed when this process has died, however. */
const END_WITH_THIS = ['--pdeathsig', 'KILL']
const START_MS = 120_000
const KEYS = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret' }
/** Memory is taken only for what is written. */
const MEMORY_BYTES = 8 * 2 ** 30
/** Below the ports that Linux gives outgoing connections: the port of a gateway stays free while it is restarted. */
const PORTS = { from: 20_000, to: 32_000 }

/** The programs it needs that are not installed. */
export function missingPrograms () {
  const folders = (process.env.PATH ?? '').split(':')
  return PROGRAMS.filter(name => !folders.some(folder => existsSync(join(folder, name))))
}

/**
 * Resolves when it answers requests. Its daemons end with this process, however it ends.
 * @param {{ directory?: string, port?: number }} [options] - `directory`: an empty one for its files; by default a new
 *   one, removed by `stop`
 */
export async function startCeph ({ directory: given, port } = {}) {
  const missing = missingPrograms()
  if (missing.length > 0) throw new Error(`Ceph is not installed: ${missing.join(', ')}. Install ceph-mon, ceph-osd and radosgw`)

  const directory = given ?? await mkdtemp(join(tmpdir(), 'ceph-'))
  const [monitorPort, gatewayPort] = [await freePort(), port ?? await freePort()]
  const endpoint = `http://127.0.0.1:${gatewayPort}`
  const conf = await writeConfiguration({ directory, monitorPort, gatewayPort })
  /** @type {Map<string, import('node:child_process').ChildProcess>} */
  const daemons = new Map()

  /**
   * @param {string} name
   * @param {string[]} args
   */
  const run = async (name, args) =>
    (await promisify(execFile)('setpriv', [...END_WITH_THIS, name, '-c', conf, ...args], { timeout: START_MS })).stdout

  /**
   * @param {string} name
   * @param {string[]} args
   */
  function start (name, args) {
    const child = spawn('setpriv', [...END_WITH_THIS, name, '-f', '-c', conf, ...args], { stdio: 'ignore' })
    daemons.set(name, child)
    return child
  }

  /** @param {string} name */
  async function kill (name) {
    const child = daemons.get(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    child.kill('SIGCONT')
    await exited
  }

  async function startGateway () {
    const gateway = start('radosgw', ['-n', 'client.rgw'])
    await until('the gateway answers', async () => {
      if (gateway.exitCode !== null || gateway.signalCode !== null) {
        throw new Error(`radosgw has ended: ${await logEnd(directory, 'client.rgw')}`)
      }
      return await answers(endpoint)
    })
  }

  async function stop () {
    for (const name of ['radosgw', 'ceph-osd', 'ceph-mon']) await kill(name)
    if (!given) await rm(directory, { recursive: true, force: true })
  }

  try {
    const files = ['--monmap', join(directory, 'monmap'), '--keyring', join(directory, 'keyring')]
    await run('ceph-mon', ['-i', 'a', '--mkfs', ...files])
    start('ceph-mon', ['-i', 'a'])
    const id = randomUUID()
    await run('ceph', ['osd', 'new', id, '0'])
    await run('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', id])
    start('ceph-osd', ['-i', '0'])
    await until('the object storage daemon is up', async () => /\b1 up\b/.test(await run('ceph', ['osd', 'stat'])))
    const keys = ['--access-key', KEYS.accessKeyId, '--secret', KEYS.secretAccessKey]
    await run('radosgw-admin', ['user', 'create', '--uid', 'tests', '--display-name', 'tests', ...keys])
    await startGateway()
  } catch (error) {
    await stop()
    throw error
  }

  return {
    endpoint,
    ...KEYS,
    region: 'us-east-1',
    /** What is stored stays until `stop`. */
    stop,
    /** With SIGKILL: requests under way are cut off, later ones refused. */
    killGateway: async () => await kill('radosgw'),
    /** Kills it if it runs. Resolves when the gateway answers again. */
    async restartGateway () {
      await kill('radosgw')
      await startGateway()
    },
    /** Connections stay open and nobody answers, until `resume`. */
    freezeGateway: () => daemons.get('radosgw')?.kill('SIGSTOP'),
    resumeGateway: () => daemons.get('radosgw')?.kill('SIGCONT')
  }
}

/** @param {{ directory: string, monitorPort: number, gatewayPort: number }} options */
async function writeConfiguration ({ directory, monitorPort, gatewayPort }) {
  const cluster = randomUUID()
  const monitor = `[v2:127.0.0.1:${monitorPort}]`
  const sections = {
    global: {
      fsid: cluster,
      'mon host': monitor,
      'ms bind ipv6': false,
      keyring: join(directory, 'keyring'),
      'run dir': directory,
      'admin socket': '',
      'pid file': '',
      'log file': join(directory, '$name.log'),
      'osd pool default size': 1,
      'osd pool default min size': 1,
      'osd pool default pg num': 4,
      'osd pool default pgp num': 4,
      'osd crush chooseleaf type': 0
    },
    mon: {
      'mon data': join(directory, 'mon'),
      'mon cluster log file': join(directory, 'cluster.log'),
      'mon allow pool size one': true,
      // By default changes of maps are collected for a second; there are about ten of them before the first request.
      'paxos propose interval': 0.02,
      'paxos min wait': 0.01,
      'mon max pg per osd': 1000,
      // A nearly full disk is no reason to refuse: nothing but maps is on it.
      'mon data avail crit': 1
    },
    osd: {
      'osd data': join(directory, 'osd'),
      'osd objectstore': 'memstore',
      'memstore device bytes': MEMORY_BYTES,
      'public addr': '127.0.0.1',
      'cluster addr': '127.0.0.1',
      'osd heartbeat grace': 600
    },
    'client.rgw': {
      'rgw data': join(directory, 'rgw'),
      // Without tcp_nodelay every answer with a body takes 40 ms: its second packet waits for the client's delayed ACK.
      'rgw frontends': `beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1`,
      'rgw thread pool size': 64,
      'rgw enable usage log': false,
      // What is deleted gives its memory back at once. By default, that takes two hours.
      'rgw gc obj min wait': 1,
      'rgw gc processor period': 2
    }
  }
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(directory, name))
  const path = join(directory, 'ceph.conf')
  const texts = Object.entries(sections).map(([section, settings]) =>
    `[${section}]\n${Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`).join('')}`
  )
  await writeFile(path, texts.join('\n'))
  for (const [index, entity] of ['mon.', 'client.admin', 'client.rgw', 'osd.0'].entries()) {
    const rights = ['mon', 'osd', 'mgr'].flatMap(daemon => ['--cap', daemon, 'allow *'])
    const create = index === 0 ? ['--create-keyring'] : []
    await promisify(execFile)('ceph-authtool', [join(directory, 'keyring'), ...create, '--gen-key', '-n', entity, ...rights])
  }
  const monmap = join(directory, 'monmap')
  await promisify(execFile)('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', monitor, monmap])
  return path
}

/**
 * @param {string} what
 * @param {() => Promise<boolean>} isSo
 */
async function until (what, isSo) {
  const deadline = performance.now() + START_MS
  while (!await isSo()) {
    if (performance.now() > deadline) throw new Error(`Ceph does not start: waited for this until the time was up: ${what}`)
    await delay(100)
  }
}

/**
 * @param {string} url
 * @returns {Promise<boolean>}
 */
async function answers (url) {
  return await fetch(url).then(({ status }) => status === 200, () => false)
}

/** @returns {Promise<number>} */
export async function freePort () {
  const port = randomInt(PORTS.from, PORTS.to)
  const server = net.createServer()
  const isFree = await new Promise(resolve => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : await freePort()
}

/**
 * @param {string} directory
 * @param {string} name
 */
async function logEnd (directory, name) {
  return (await readFile(join(directory, `${name}.log`), 'utf8').catch(() => '')).slice(-2000)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ended = new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  const ceph = await startCeph()
  const { endpoint, region, accessKeyId, secretAccessKey } = ceph
  console.log(`S3 at ${endpoint}, region ${region}, access key ${accessKeyId}, secret ${secretAccessKey}. Ctrl+C ends it`)
  await ended
  await ceph.stop()
}
