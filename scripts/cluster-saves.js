// Two instances behind nginx on one object store. People edit, one instance is killed every few seconds and one is
// suspended now and then, for longer than others wait for it. Then it looks for anything lost, forked or stored in the
// wrong order.
//   node scripts/cluster-saves.js [--seconds 60] [--documents 200] [--sessions 20] [--seed <number>]
//     --storage files          a shared directory instead of an object store, which needs Ceph
//     --ignore-conditions      writes without conditions: proves that what is lost is found
import { CreateBucketCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { createDocumentServer } from 'onlyoffice-emulator'
import { appendFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { watchCallbacks } from '../test/campaigns/cluster/callbacks.js'
import { createCheck, createTold } from '../test/campaigns/cluster/check.js'
import { createCounts } from '../test/campaigns/cluster/counts.js'
import { editedDocument } from '../test/campaigns/cluster/document.js'
import { createEditing } from '../test/campaigns/cluster/editing.js'
import { startInstances } from '../test/campaigns/cluster/instances.js'
import { clientFor, createDocument, openStorage, PREFIX } from '../test/campaigns/cluster/storage.js'
import { documentNames } from '../test/campaigns/kills/directory.js'
import { servicePool } from '../test/campaigns/kills/processes.js'
import { randomFrom } from '../test/campaigns/kills/random.js'
import { freePort, missingPrograms, startCeph } from './ceph.js'
import { nginxProgram, startNginx } from './nginx.js'

const SERVICE = fileURLToPath(new URL('../test/campaigns/cluster/service.js', import.meta.url))
const SECRET = 'a-secret-of-the-cluster-tests-0123456789'
/**
 * nginx sends a callback to the other instance when one has not answered for so long: before a suspended one goes on.
 */
const SAVE_TIMEOUT = '11s'
/** Saves take so long at least: then there is always one that a kill or a suspension catches. */
const FETCH_MS = 150
const AT_ONCE = 20
const SHOWN = 5
const SHOWN_EVENTS = 60

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    documents: { type: 'string', default: '200' },
    sessions: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    storage: { type: 'string', default: 's3' },
    'ignore-conditions': { type: 'boolean', default: false }
  }
})
const missing = [...missingPrograms(), ...(nginxProgram() ? [] : ['nginx'])]
if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`)
const [seconds, seed] = [Number(values.seconds), Number(values.seed)]
const random = randomFrom(seed)
const counts = createCounts()
/** @type {string[]} */
const violations = []
console.log(`seed ${seed}: ${seconds} s, ${values.documents} documents, ${values.sessions} sessions at once, ${values.storage}`)

const directory = await mkdtemp(join(tmpdir(), 'cluster-saves-'))
const logFile = join(directory, 'instances.log')
const store = values.storage === 's3' ? await startStore() : undefined
const settings = { directory: join(directory, 'documents'), s3: store?.settings, redirects: false, ignoresConditions: false }
await mkdir(settings.directory)
const storage = openStorage(settings)
const documents = new Map(Array.from({ length: Number(values.documents) }, (_, index) => {
  const fileId = `document-${index + 1}`
  return [fileId, editedDocument(fileId)]
}))
await eachOf([...documents.keys()], async fileId => await createDocument(settings, fileId))

const requestLog = { entries: 200, bodyBytes: 2 ** 20 }
const documentServer = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, requestLog })
documentServer.fault('file', { type: 'delay', ms: FETCH_MS }, { times: Infinity })
const ports = [await freePort(), await freePort()]
const nginxPort = await freePort()
const nginx = await startNginx({ directory, port: nginxPort, http: siteOf(nginxPort) })
const told = createTold(counts)
const pool = servicePool({
  ...settings,
  ignoresConditions: values['ignore-conditions'],
  editorApiUrl: documentServer.editorApiUrl,
  jwtSecret: SECRET,
  publicBaseUrl: nginx.url,
  logFile
}, { program: SERVICE, heard: told.hear })
const instances = await startInstances({
  pool,
  settings: ports.map((port, index) => ({ port, redirects: index === 0 })),
  random,
  counts,
  log: event => appendFileSync(logFile, `${new Date().toISOString()} ${event}\n`)
})
const callbacks = watchCallbacks({ documentServer, documents, counts })
const editing = createEditing({
  url: nginx.url,
  documentServer,
  documents: [...documents.values()],
  counts,
  forked (document, message) {
    counts.forks++
    violated(document, message)
  }
})

const end = AbortSignal.timeout(seconds * 1000)
await Promise.all([
  instances.disturb(end),
  ...Array.from({ length: Number(values.sessions) }, (_, index) => editing.work(randomFrom(seed + 1 + index), end))
])
await editing.allLeft()
counts.forgotten = documentServer.forgotten.size
const edited = [...documents.values()].filter(({ tries }) => tries > 0)
await eachOf(edited, async document => {
  if (await editing.finish(document)) return
  counts.stuck++
  violated(document, 'it cannot be opened and saved in the end')
})
await callbacks.noted()
const check = createCheck({ storage, told: told.revisions, counts, violated })
const copies = (await storedIds()).filter(fileId => !documents.has(fileId))
await eachOf(copies, async fileId => await check.copy(fileId, documents))
await eachOf([...documents.values()], check.document)
console.log({ ...counts, documentsEdited: edited.length, edits: edited.flatMap(({ edits }) => edits).length })

await documentServer.close()
await instances.stop()
await nginx.stop()
await store?.stop()
if (violations.length > 0) {
  const file = join(directory, 'violations.log')
  await writeFile(file, violations.join('\n\n'))
  console.error(`\n${violations.slice(0, SHOWN).map(shortened).join('\n\n')}\n\nseed ${seed}, ${violations.length} violations, all of them in ${file}`)
  process.exit(1)
}
await rm(directory, { recursive: true })
process.exit()

/**
 * Another instance takes over a callback whose instance has died: what the plugin's routes get may be repeated.
 * @param {number} port
 */
function siteOf (port) {
  return `
upstream instances {
  zone instances 64k;
${ports.map(instance => `  server 127.0.0.1:${instance} max_fails=1 fail_timeout=1s;`).join('\n')}
  keepalive 32;
}

server {
  listen 127.0.0.1:${port};
  client_max_body_size 8m;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_connect_timeout 2s;
  proxy_max_temp_file_size 0;
  proxy_next_upstream error timeout http_503;

  location / {
    proxy_pass http://instances;
    proxy_read_timeout 10s;
  }

  location = /editor {
    proxy_pass http://instances;
    proxy_next_upstream error timeout http_503 non_idempotent;
    proxy_read_timeout ${SAVE_TIMEOUT};
  }
}`
}

async function startStore () {
  const { endpoint, region, accessKeyId, secretAccessKey, stop } = await startCeph()
  const settings = { endpoint, region, accessKeyId, secretAccessKey, bucket: 'documents' }
  const client = clientFor(settings)
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
  return { settings, client, stop }
}

/** All that there are, also conflict copies. */
async function storedIds () {
  if (store === undefined) {
    return (await documentNames(settings.directory)).map(name => name.slice(0, name.lastIndexOf('.')))
  }
  const folder = `${PREFIX}records/`
  const ids = []
  const pages = paginateListObjectsV2({ client: store.client }, { Bucket: store.settings.bucket, Prefix: folder })
  for await (const { Contents = [] } of pages) {
    ids.push(...Contents.map(({ Key = '' }) => Key.slice(folder.length).replace(/\.json$/, '')))
  }
  return ids
}

/**
 * Some at once.
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} task
 */
async function eachOf (items, task) {
  const rest = items.values()
  await Promise.all(Array.from({ length: AT_ONCE }, async () => { for (const item of rest) await task(item) }))
}

/**
 * @param {import('../test/campaigns/cluster/document.js').EditedDocument} document
 * @param {string} message
 */
function violated ({ fileId, history }, message) {
  violations.push(`${fileId}: ${message}\n  ${history.join('\n  ')}`)
}

/**
 * What happened last explains most.
 * @param {string} violation
 */
function shortened (violation) {
  const [message, ...history] = violation.split('\n')
  return [message, ...history.slice(-SHOWN_EVENTS)].join('\n')
}
