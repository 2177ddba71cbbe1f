import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startProgram } from '../framework/program.js'

const SIZE = 1000
const WARM_UP = 100
const OPERATIONS = 100

/**
 * Calls that name a file, list a folder, flush, or ask for or set attributes; not the reading, writing and closing of
 * an open file.
 */
const CALLS = '%file,getdents64,fsync,fdatasync,ftruncate,fstat,fchmod,fchown'

/** @type {import('../framework/measure.js').Figures} */
export const calls = {
  name: 'calls-1kb',
  title: 'Page, status 1 and save of 1 kB: calls to the file system (needs strace)',
  checked: false, // a test counts the plugin's
  processes: 1, // counts do not vary
  does:
    `counted by strace over ${OPERATIONS} documents without a record, scans in the background included; the peer is that of save-1kb`,
  figures: {
    plugin: { name: 'the plugin', unit: 'calls', atMost: 60 },
    pluginFlushes: { name: 'the plugin, of them flushes', unit: 'calls', atMost: 5 },
    peer: { name: 'request → file', unit: 'calls' },
    peerFlushes: { name: 'request → file, of them flushes', unit: 'calls' }
  },
  async measure (_, folder) {
    const plugin = await countedCalls('candidates/plugin.js', folder)
    const peer = await countedCalls('candidates/handwritten.js', folder)
    return { plugin: plugin.all, pluginFlushes: plugin.flushes, peer: peer.all, peerFlushes: peer.flushes }
  }
}

/**
 * Per operation.
 * @param {string} program
 * @param {string} folder
 */
async function countedCalls (program, folder) {
  const documentServer = await startProgram('load/document-server.js', 'load')
  const origins = { documentServer: documentServer.started.origin }
  const server = await startProgram(program, 'measured', {
    ...origins,
    folder,
    documents: WARM_UP + OPERATIONS,
    size: 1
  })
  const editors = await startProgram('load/editors.js', 'load', { ...origins, origin: server.started.origin })
  /** @param {number} operations */
  const save = async operations =>
    await editors.call('sessions', { fileIds: server.started.fileIds, size: SIZE, length: { operations } })
  try {
    await save(WARM_UP)
    const summary = join(folder, 'calls.txt')
    const options = ['-f', '-c', '-e', `trace=${CALLS}`, '-o', summary, '-p', String(server.pid)]
    const strace = spawn('strace', options, { stdio: ['ignore', 'ignore', 'pipe'] })
    await once(strace.stderr, 'data') // it has attached
    await save(OPERATIONS)
    strace.kill('SIGINT')
    await once(strace, 'close')
    await editors.call('check')
    const counts = countsIn(await readFile(summary, 'utf8'))
    return { all: (counts.get('total') ?? NaN) / OPERATIONS, flushes: (counts.get('fsync') ?? NaN) / OPERATIONS }
  } finally {
    await Promise.all([editors.stop(), server.stop(), documentServer.stop()])
  }
}

/**
 * By call, from lines such as `12.34 0.001 5 200 7 fsync`: the fourth column is the count, and one of errors may
 * follow.
 * @param {string} summary
 */
function countsIn (summary) {
  return new Map(
    [...summary.matchAll(/^ *[\d.]+ +[\d.]+ +\d* +(\d+)(?: +\d+)? +(\w+)$/gm)].map((
      [, count, name]
    ) => [name, Number(count)])
  )
}
