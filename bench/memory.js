// Measures how much the resident memory (RSS) of an application grows while a document of 1 GiB passes through it: a
// save into file storage, and a proxy response to a slow client. Exits with 1 if it grows by 64 MiB or more, or a
// result is wrong.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { growthText, measureGrowth, MIB, readSlowly, save } from './processes/memory.js'
import { startProcess } from './processes/process.js'

const SIZE = 1024 * MIB
const LIMIT = 64 * MIB

const directory = await mkdtemp(join(tmpdir(), 'bench-memory-'))
const upstream = await startProcess('upstream.js', {})
let failed = false

try {
  await measure('callback', saveIntoFile)
  await measure('proxy', passThrough)
} finally {
  await upstream.stop()
  await rm(directory, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0

/** @typedef {import('./processes/memory.js').Process} Process */

/**
 * @param {string} name
 * @param {(application: Process, size: number) => Promise<void>} work
 */
async function measure (name, work) {
  const measured = await measureGrowth({ upstream, environment: { DIRECTORY: directory }, size: SIZE, work })
  failed ||= !(measured.growth < LIMIT)
  console.log(growthText(name, SIZE, measured, LIMIT))
}

/**
 * @param {Process} application
 * @param {number} bytes
 */
async function saveIntoFile (application, bytes) {
  await save(application, upstream.origin, bytes)
  const { size } = await stat(join(directory, `${application.fileId}.txt`))
  check(`the stored file has ${bytes} bytes`, size === bytes)
}

/**
 * @param {Process} application
 * @param {number} bytes
 */
async function passThrough (application, bytes) {
  const { proxyToken } = await application.openPage()
  const query = new URLSearchParams({
    action: 'proxy',
    fileId: application.fileId,
    url: `${upstream.origin}/cache/files/${bytes}/0`
  })
  const ended = upstream.nextMessage('ended')
  const { received, firstByteAt } = await readSlowly(`${application.origin}/handler?${query}`, {
    'x-editor-proxy-token': proxyToken
  })
  const { at } = await ended
  check(`the client received ${bytes} bytes`, received === bytes)
  if (bytes === SIZE) {
    check('the client received its first byte before the upstream had sent its last one', firstByteAt < at)
  }
}

/**
 * @param {string} claim
 * @param {boolean} isTrue
 */
function check (claim, isTrue) {
  if (isTrue) return
  failed = true
  console.error(`WRONG: it is not true that ${claim}`)
}
