// How much the resident memory (RSS) of an application grows while a large document passes through it.
import http from 'node:http'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { tokenSigner } from '../../dist/lib/document-server/token.js'
import { savedUrl } from '../framework/saved-file.js'
import { startProcess } from './process.js'

export const MIB = 1024 ** 2
const WARM_UP_SIZE = 1
const CLIENT_BYTES_PER_SECOND = 48 * MIB
const JWT_SECRET = 'a-secret-of-this-benchmark-0123456789'

/** @typedef {Awaited<ReturnType<typeof startProcess>>} Process */

/**
 * Runs in a new process. A document of one byte comes first: the memory for the code that the first request loads and
 * compiles is not part of the measurement.
 * @param {{ upstream: Process, environment: Record<string, string>, size: number, work: (application: Process, size:
 *   number) => Promise<void> }} options
 */
export async function measureGrowth ({ upstream, environment, size, work }) {
  const application = await startProcess('application.js', {
    DOCUMENT_SERVER: upstream.origin,
    JWT_SECRET,
    MAX_FILE_SIZE: String(size),
    ...environment
  })
  try {
    await work(application, WARM_UP_SIZE)
    await delay(1000)
    const baseline = application.rss.at(-1) ?? Infinity
    const samplesBefore = application.rss.length
    const started = performance.now()
    await work(application, size)
    const seconds = (performance.now() - started) / 1000
    const samples = application.rss.slice(samplesBefore)
    const peak = Math.max(...samples)
    return { baseline, peak, growth: peak - baseline, seconds, samples: samples.length }
  } finally {
    await application.stop()
  }
}

/**
 * @param {string} name
 * @param {number} size
 * @param {Awaited<ReturnType<typeof measureGrowth>>} measured
 * @param {number} limit
 */
export function growthText (name, size, { baseline, peak, growth, seconds, samples }, limit) {
  return `${name}: ${mib(size)} in ${seconds.toFixed(1)} s; RSS baseline ${mib(baseline)}, peak ${mib(peak)}, growth ${mib(growth)} ` +
    `(${growth < limit ? 'less than' : 'NOT less than'} ${mib(limit)}, ${samples} samples)`
}

/**
 * The document server saves a file of this size. Rejects if that is refused.
 * @param {Process} application
 * @param {string} documentServer its origin
 * @param {number} bytes
 */
export async function save (application, documentServer, bytes) {
  const { config: { document, editorConfig } } = await application.openPage()
  const payload = {
    key: document?.key,
    status: 2,
    url: savedUrl(documentServer, String(document?.key), { size: bytes }),
    filetype: 'txt',
    exp: Math.floor(Date.now() / 1000) + 300
  }
  const response = await fetch(String(editorConfig?.callbackUrl).replace('http://documents.test', application.origin), {
    method: 'POST',
    body: JSON.stringify({ ...payload, token: tokenSigner([JWT_SECRET]).sign(payload) })
  })
  const answer = await response.text()
  if (answer !== '{"error":0}') throw new Error(`the callback was answered with ${answer}`)
}

/**
 * Reads a response slowly. Resolves to what was received.
 * @param {string} url
 * @param {http.OutgoingHttpHeaders} [headers]
 */
export async function readSlowly (url, headers = {}) {
  const request = http.get(url, { headers })
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
  return { received, firstByteAt }
}

/** @param {number} bytes */
function mib (bytes) {
  return `${Math.round(bytes / MIB)} MiB`
}
