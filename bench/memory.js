// How much the resident memory (RSS) of a host grows while a 1 GiB document passes through it: saved into file storage by a callback,
// and sent on by the proxy to a client that reads slowly. Exits with 1 when it is 64 MiB or more, or a result is wrong.
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
 * Each in a fresh process, whose memory knows nothing of what came before. One document of a byte goes ahead: what
 * the first request of a process loads and compiles stays for good and is not what a document costs.
 * @param {string} name
 * @param {(host: Process, size: number) => Promise<void>} work
 */
async function measure (name, work) {
  const host = await startProcess('host.js', { DIRECTORY: directory, DOCUMENT_SERVER: upstream.origin, JWT_SECRET, MAX_FILE_SIZE: String(SIZE) })
  try {
    await work(host, WARM_UP_SIZE)
    await delay(1000)
    const baseline = host.rss.at(-1) ?? Infinity
    const samplesBefore = host.rss.length
    const started = performance.now()
    await work(host, SIZE)
    const seconds = (performance.now() - started) / 1000
    const samples = host.rss.slice(samplesBefore)
    const peak = Math.max(...samples)
    const growth = peak - baseline
    failed ||= !(growth < LIMIT)
    console.log(`${name}: ${mib(SIZE)} in ${seconds.toFixed(1)} s; RSS baseline ${mib(baseline)}, peak ${mib(peak)}, growth ${mib(growth)} ` +
      `(${growth < LIMIT ? 'less than' : 'NOT less than'} ${mib(LIMIT)}, ${samples.length} samples)`)
  } finally {
    await host.stop()
  }
}

/**
 * @param {Process} host
 * @param {number} bytes
 */
async function save (host, bytes) {
  const { config: { document, editorConfig } } = await host.openPage()
  const payload = { key: document?.key, status: 2, url: `${upstream.origin}/cache/files/${bytes}`, filetype: 'txt', exp: Math.floor(Date.now() / 1000) + 300 }
  const response = await fetch(String(editorConfig?.callbackUrl).replace('http://documents.test', host.origin), {
    method: 'POST',
    body: JSON.stringify({ ...payload, token: tokenSigner([JWT_SECRET]).sign(payload) })
  })
  check('the callback is answered {"error":0}', await response.text() === '{"error":0}')
  const { size } = await stat(join(directory, `${host.fileId}.txt`))
  check(`the stored file has ${bytes} bytes`, size === bytes)
}

/**
 * @param {Process} host
 * @param {number} bytes
 */
async function passThrough (host, bytes) {
  const { proxyToken } = await host.openPage()
  const query = new URLSearchParams({ action: 'proxy', fileId: host.fileId, url: `${upstream.origin}/cache/files/${bytes}` })
  const request = http.get(`${host.origin}/handler?${query}`, { headers: { 'x-editor-proxy-token': proxyToken } })
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
  check(`the client got ${bytes} bytes`, received === bytes)
  if (bytes === SIZE) check('its first byte came before the upstream had sent its last', firstByteAt < at)
}

/**
 * @param {string} what
 * @param {boolean} holds
 */
function check (what, holds) {
  if (holds) return
  failed = true
  console.error(`WRONG: it does not hold that ${what}`)
}

/** @param {number} bytes */
function mib (bytes) {
  return `${Math.round(bytes / MIB)} MiB`
}
