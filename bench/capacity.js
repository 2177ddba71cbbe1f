// Measures what one process of an application carries, with files and with an object store (Ceph): operations a second,
// and for each operation its CPU time, and requests and bytes to and from the store.
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { tokenSigner } from '../dist/lib/document-server/token.js'
import { startObjectStore } from './processes/object-store.js'
import { savedUrl } from './framework/saved-file.js'
import { startProcess } from './processes/process.js'

const { ROUNDS = '5' } = process.env
const ROUND_MS = 2000
/** Of each group: what is only read stays as small as it is. */
const DOCUMENTS = 32
const GROUPS = ['read', 'sessions', 'saved']
const AT_ONCE = 16
const KIB = 1024
const JWT_SECRET = 'a-secret-of-this-benchmark-0123456789'
const tokens = tokenSigner([JWT_SECRET])

/** @typedef {Awaited<ReturnType<typeof startProcess>>} Process */
/** @typedef {{ fileId: string, key: string, callbackUrl: string, downloadUrl: string }} Document */
/** @typedef {{ perSecond: number, cpu: number, requests: number, sent: number, received: number }} Measured */
/** @typedef {{ name: string, process: Process, documents: Document[] }} Application */
/**
 * @typedef {object} Operation
 * @property {string} name
 * @property {'read' | 'sessions' | 'saved'} group of documents
 * @property {(application: Application, document: Document) => Promise<void>} run
 * @property {number} [counts] operations of one run
 * @property {number} [documents]
 * @property {number} [atOnce]
 * @property {string[]} [storages] by default all that do not redirect
 */

const directory = await mkdtemp(`${tmpdir()}/bench-capacity-`)
const upstream = await startProcess('upstream.js', {})
const store = await startObjectStore()
let saves = 0

/** @type {Operation[]} */
const OPERATIONS = [
  {
    name: 'opening',
    group: 'read',
    run: async ({ process }, { fileId }) => {
      await body(await fetch(`${process.origin}/page?fileId=${fileId}`))
    }
  },
  { name: 'download, 100 KiB', group: 'read', run: download },
  { name: 'download, redirected', group: 'read', run: redirected, storages: ['S3, redirected'] },
  { name: 'callback 1 or 4, noted', group: 'sessions', run: joinAndLeave, counts: 2 },
  {
    name: 'callback 1, noted before',
    group: 'read',
    run: async (_, document) => await call(document, { status: 1, users: ['ada'] })
  },
  { name: 'save, 1 KiB', group: 'saved', run: async (_, document) => await save(document, KIB) },
  { name: 'save, 100 KiB', group: 'saved', run: async (_, document) => await save(document, 100 * KIB) },
  { name: 'save, 1 MiB', group: 'saved', run: async (_, document) => await save(document, KIB ** 2) },
  {
    name: 'save, 1 KiB, one document',
    group: 'saved',
    run: async (_, document) => await save(document, KIB),
    documents: 1,
    atOnce: 1
  }
]

try {
  const applications = [
    await startApplication('files', { DIRECTORY: directory }),
    await startApplication('S3', { ...store.environment, S3_PREFIX: 'streamed/' }),
    await startApplication('S3, redirected', { ...store.environment, S3_PREFIX: 'redirected/', REDIRECT: 'true' })
  ]
  /** @type {Map<string, Measured[]>} */
  const results = new Map()
  for (let round = 0; round <= Number(ROUNDS); round++) {
    for (const operation of OPERATIONS) {
      for (const application of applications) {
        const { storages = ['files', 'S3'] } = operation
        if (!storages.includes(application.name)) continue
        const measured = await measure(application, operation)
        const title = `${operation.name} | ${application.name}`
        if (round > 0) results.set(title, [...results.get(title) ?? [], measured]) // the first round compiles code
      }
    }
  }
  console.log(`Medians of ${ROUNDS} rounds of ${ROUND_MS} ms, ${AT_ONCE} at once; the load of the machine was ${loadavg().map(load => load.toFixed(1)).join(', ')} in the last 1, 5 and 15 minutes.`)
  console.log('| operation | storage | a second | CPU ms | a second and core | requests to the store | KiB sent | KiB received |\n|---|---|---|---|---|---|---|---|')
  for (const [title, measured] of results) console.log(row(title, measured))
  for (const { process } of applications) await process.stop()
} finally {
  await Promise.all([upstream.stop(), store.stop()])
  await rm(directory, { recursive: true, force: true })
}

/**
 * @param {string} name
 * @param {Record<string, string>} environment
 * @returns {Promise<Application>}
 */
async function startApplication (name, environment) {
  const process = await startProcess('application.js', {
    DOCUMENT_SERVER: upstream.origin,
    JWT_SECRET,
    MAX_FILE_SIZE: String(KIB ** 3),
    DOCUMENTS: String(DOCUMENTS * GROUPS.length),
    NODE_NO_WARNINGS: '1',
    ...environment
  })
  const documents = []
  for (const fileId of process.fileIds) {
    const response = await fetch(`${process.origin}/page?fileId=${fileId}`)
    const { config: { document, editorConfig } } = /** @type {any} */ (await response.json())
    const here = (/** @type {string} */ url) => url.replace('http://documents.test', process.origin)
    documents.push({
      fileId,
      key: document.key,
      callbackUrl: here(editorConfig.callbackUrl),
      downloadUrl: here(document.url)
    })
  }
  const application = { name, process, documents }
  for (const document of documents) {
    await call(document, { status: 1, users: ['ada'] })
    await save(document, 100 * KIB)
  }
  return application
}

/**
 * @param {Application} application
 * @param {Operation} operation
 * @returns {Promise<Measured>}
 */
async function measure (application, { group, run, counts = 1, documents = DOCUMENTS, atOnce = AT_ONCE }) {
  const first = GROUPS.indexOf(group) * DOCUMENTS
  let done = 0
  let next = 0
  const before = await usage(application)
  const started = performance.now()
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (performance.now() - started < ROUND_MS) {
      await run(application, /** @type {Document} */ (application.documents[first + next++ % documents]))
      done += counts
    }
  }))
  const seconds = (performance.now() - started) / 1000
  const after = await usage(application)
  const each = (/** @type {'requests' | 'sent' | 'received'} */ what) =>
    (after.traffic[what] - before.traffic[what]) / done
  return {
    perSecond: done / seconds,
    cpu: (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000 / done,
    requests: each('requests'),
    sent: each('sent'),
    received: each('received')
  }
}

/** @param {Application} application */
async function usage ({ process }) {
  const answer = process.nextMessage('usage')
  process.send('usage')
  return await answer
}

/**
 * @param {Application} _
 * @param {Document} document
 */
async function download (_, { downloadUrl }) {
  const bytes = await body(await fetch(downloadUrl))
  if (bytes.length !== 100 * KIB) throw new Error(`the download has ${bytes.length} bytes`)
}

/**
 * @param {Application} _
 * @param {Document} document
 */
async function redirected (_, { downloadUrl }) {
  const { status } = await fetch(downloadUrl, { redirect: 'manual' })
  if (status !== 302) throw new Error(`the download was answered with status ${status}`)
}

/**
 * A session without changes, under a key of its own, so that both callbacks are noted.
 * @param {Application} _
 * @param {Document} document
 */
async function joinAndLeave (_, document) {
  const key = `${document.key}.${++saves}`
  await call({ ...document, key }, { status: 1, users: ['grace'] })
  await call({ ...document, key }, { status: 4, users: [] })
}

/**
 * @param {Document} document
 * @param {number} bytes
 */
async function save (document, bytes) {
  await call(document, {
    status: 6,
    url: savedUrl(upstream.origin, document.key, { size: bytes, number: ++saves }),
    filetype: 'txt',
    lastsave: new Date(Date.UTC(2026, 0) + saves * 1000).toISOString(),
    users: ['ada']
  })
}

/**
 * @param {Document} document
 * @param {object} fields
 */
async function call ({ key, callbackUrl }, fields) {
  const now = Math.floor(Date.now() / 1000)
  const payload = { key, ...fields, exp: now + 300 }
  const answer = String(
    await body(
      await fetch(callbackUrl, { method: 'POST', body: JSON.stringify({ ...payload, token: tokens.sign(payload) }) })
    )
  )
  if (answer !== '{"error":0}') throw new Error(`a callback was answered with ${answer}`)
}

/** @param {Response} response */
async function body (response) {
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

/**
 * @param {string} title
 * @param {Measured[]} rounds
 */
function row (title, rounds) {
  const median = (
    /** @type {keyof Measured} */ what
  ) => /** @type {number} */ (rounds.map(round => round[what]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)])
  const cpu = median('cpu')
  return `| ${title} | ${median('perSecond').toFixed(0)} | ${cpu.toFixed(2)} | ${(1000 / cpu).toFixed(0)} | ${median('requests').toFixed(1)} | ${(median('sent') / KIB).toFixed(1)} | ${(median('received') / KIB).toFixed(1)} |`
}
