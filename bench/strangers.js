// Measures how long a genuine callback takes, and how much memory the application needs, while eight unknown clients
// post bodies of 4 MiB as fast as they can. Exits with 1 if the median rises to more than three times its value, or the
// memory by more than 64 MiB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tokenSigner } from '../dist/lib/document-server/token.js'
import { savedUrl } from './framework/saved-file.js'
import { startProcess } from './processes/process.js'

const MIB = 1024 ** 2
const STRANGERS = 8
const ROUNDS = 5
const ROUND_MS = 1500
/** Until the memory varies only as much as it does with genuine callbacks alone. */
const WARM_UP_MS = 10_000
const MAX_RATIO = 3
const MAX_GROWTH = 64 * MIB
const JWT_SECRET = 'a-secret-of-this-benchmark-0123456789'
const tokens = tokenSigner([JWT_SECRET])
const FORGED = `${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')}.FILL.${'x'.repeat(43)}`

const directory = await mkdtemp(join(tmpdir(), 'bench-strangers-'))
const upstream = await startProcess('upstream.js', {})
const strangers = await startProcess('strangers.js', { STRANGERS: String(STRANGERS) })
let failed = false

try {
  await measure('without a fileId', url => url.replace(/&fileId.*/, ''))
  await measure('without a signature', url => url.replace(/&signature.*/, ''))
  await measure('with the signature of a page and a forged token', url => url)
} finally {
  await Promise.all([strangers.stop(), upstream.stop()])
  await rm(directory, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0

/**
 * Alternates rounds without and with unknown clients, in one new process.
 * @param {string} name
 * @param {(callbackUrl: string) => string} urlOf
 */
async function measure (name, urlOf) {
  const application = await startProcess('application.js', {
    DIRECTORY: directory,
    DOCUMENT_SERVER: upstream.origin,
    JWT_SECRET,
    MAX_FILE_SIZE: String(MIB)
  })
  const { config: { document, editorConfig } } = await application.openPage()
  const callbackUrl = String(editorConfig?.callbackUrl).replace('http://documents.test', application.origin)
  let saves = 0
  const save = async () => {
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      key: document?.key,
      status: 6,
      url: savedUrl(upstream.origin, String(document?.key), { size: saves % 1000 + 1, number: ++saves }),
      filetype: 'txt',
      lastsave: new Date().toISOString(),
      exp: now + 300
    }
    const response = await fetch(callbackUrl, {
      method: 'POST',
      body: JSON.stringify({ ...payload, token: tokens.sign(payload) })
    })
    if (await response.text() !== '{"error":0}') throw new Error('a genuine callback was refused')
  }

  await repeat(save, WARM_UP_MS)
  /** @type {number[]} */
  const quiet = []
  /** @type {number[]} */
  const disturbed = []
  let posted = 0
  const resting = Math.max(...application.rss)
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(...await repeat(save, ROUND_MS))
    strangers.send({ url: urlOf(callbackUrl), token: FORGED })
    await delay(200)
    disturbed.push(...await repeat(save, ROUND_MS))
    const stopped = strangers.nextMessage('stopped')
    strangers.send('stop')
    posted += (await stopped).posted
    await delay(500)
  }
  const growth = Math.max(...application.rss) - resting
  await application.stop()
  const ratio = median(disturbed) / median(quiet)
  failed ||= ratio > MAX_RATIO || growth > MAX_GROWTH
  console.log(`${name}: genuine callback ${ms(median(quiet))} -> ${ms(median(disturbed))}, × ${ratio.toFixed(2)}; memory + ${Math.round(growth / MIB)} MiB; ` +
    `${posted} bodies of 4 MiB posted, ${quiet.length} and ${disturbed.length} genuine callbacks`)
}

/**
 * Repeats a call for some time. Returns the milliseconds that each took.
 * @param {() => Promise<void>} call
 * @param {number} milliseconds
 */
async function repeat (call, milliseconds) {
  const durations = []
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    const started = performance.now()
    await call()
    durations.push(performance.now() - started)
  }
  return durations
}

/** @param {number[]} values */
function median (values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

/** @param {number} value */
function ms (value) {
  return `${value.toFixed(1)} ms`
}
