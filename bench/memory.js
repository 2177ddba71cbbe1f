// Measures how much the resident memory (RSS) of an application grows while a document of 1 GiB passes through it: a save into file
// storage, and a proxy response to a slow client. Exits with 1 if it grows by 64 MiB or more, or a result is wrong.
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tokenSigner } from '../dist/lib/document-server/token.js'
import { startProcess } from './processes/process.js'

const MIB = 1024 ** 2
const SIZE = 1024 * MIB
const WARM_UP_SIZE = 1
const LIMIT = 64 * MIB
const CLIENT_BYTES_PER_SECOND = 48 * MIB
const JWT_SECRET = 'a-secret-of-this-benchmark-0123456789'

const directory = await mkdtemp(join(tmpdir(), 'bench-memory-'))
const upstream = await startProcess('upstream.js', {})
let failed = false

try {
  await measure('callback', save)
  await measure('proxy', passThrough)
} finally {
  await upstream.stop()
  await rm(directory, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0

/** @typedef {Awaited<ReturnType<typeof startProcess>>} Process */

/**
 * Runs in a new process. A document of one byte comes first: the memory for the code that the first request loads and compiles is
 * not part of the measurement.
 * @param {string} name
 * @param {(application: Process, size: number) => Promise<void>} work
 */
async function measure (name, work) {
  const application = await startProcess('application.js', { DIRECTORY: directory, DOCUMENT_SERVER: upstream.origin, JWT_SECRET, MAX_FILE_SIZE: String(SIZE) })
  try {
    await work(application, WARM_UP_SIZE)
    await delay(1000)
    const baseline = application.rss.at(-1) ?? Infinity
    const samplesBefore = application.rss.length
    const started = performance.now()
    await work(application, SIZE)
    const seconds = (performance.now() - started) / 1000
    const samples = application.rss.slice(samplesBefore)
    const peak = Math.max(...samples)
    const growth = peak - baseline
    failed ||= !(growth < LIMIT)
    console.log(`${name}: ${mib(SIZE)} in ${seconds.toFixed(1)} s; RSS baseline ${mib(baseline)}, peak ${mib(peak)}, growth ${mib(growth)} ` +
      `(${growth < LIMIT ? 'less than' : 'NOT less than'} ${mib(LIMIT)}, ${samples.length} samples)`)
  } finally {
    await application.stop()
  }
}

/**
 * @param {Process} application
 * @param {number} bytes
 */
async function save (application, bytes) {
  const { config: { document, editorConfig } } = await application.openPage()
  const payload = { key: document?.key, status: 2, url: `${upstream.origin}/cache/files/${bytes}`, filetype: 'txt', exp: Math.floor(Date.now() / 1000) + 300 }
  const response = await fetch(String(editorConfig?.callbackUrl).replace('http://documents.test', application.origin), {
    method: 'POST',
    body: JSON.stringify({ ...payload, token: tokenSigner([JWT_SECRET]).sign(payload) })
  })
  check('the callback is answered with {"error":0}', await response.text() === '{"error":0}')
  const { size } = await stat(join(directory, `${application.fileId}.txt`))
  check(`the stored file has ${bytes} bytes`, size === bytes)
}

/**
 * @param {Process} application
 * @param {number} bytes
 */
async function passThrough (application, bytes) {
  const { proxyToken } = await application.openPage()
  const query = new URLSearchParams({ action: 'proxy', fileId: application.fileId, url: `${upstream.origin}/cache/files/${bytes}` })
  const request = http.get(`${application.origin}/handler?${query}`, { headers: { 'x-editor-proxy-token': proxyToken } })
  const ended = upstream.nextMessage('ended')
  const [response] = await once(request, 'response')
  let firstByteAt = 0
  let received = 0
  const started = performance.now()
  for await (const chunk of response) {
    firstByteAt ||= Date.now()
    received += chunk.length
    const ahead = received / CLIENT_BYTES_PER_SECOND * 1000 - (performance.now() - started)
    if (ahead > 20) await delay(ahead)
  }
  const { at } = await ended
  check(`the client received ${bytes} bytes`, received === bytes)
  if (bytes === SIZE) check('the client received its first byte before the upstream had sent its last one', firstByteAt < at)
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

/** @param {number} bytes */
function mib (bytes) {
  return `${Math.round(bytes / MIB)} MiB`
}
