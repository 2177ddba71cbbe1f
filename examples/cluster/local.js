/*
All of it on this machine, without Docker: a Ceph object store, an emulated document server, two instances, nginx in
front.

node examples/cluster/local.js

PORT        port of nginx. Default: any free port
LOG_LEVEL   of the instances. Default: warn

An instance that ends is started again: kill one while you edit.
*/
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDocumentServer } from 'onlyoffice-emulator'
import { freePort, startCeph } from '../../scripts/ceph.js'
import { startNginx } from './nginx.js'
import { requirePackages } from './packages.js'

const INSTANCE = fileURLToPath(new URL('instance.js', import.meta.url))
const BUCKET = 'documents'

requirePackages()
/** @type {Promise<void> | undefined} */
let stopping
/**
 * Functions that end what has started.
 * @type {Array<() => Promise<unknown>>}
 */
const started = []
// The listeners stay: under npm, Ctrl-C arrives twice.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { stopping ??= stop() })

console.log('Starting Ceph, which takes some seconds …')
const directory = await mkdtemp(join(tmpdir(), 'cluster-'))
started.push(() => rm(directory, { recursive: true }))
const { endpoint, region, accessKeyId, secretAccessKey, stop: stopCeph } = await startCeph()
started.push(stopCeph)
await createBucket()

const ports = [await freePort(), await freePort()]
const port = Number(process.env.PORT) || await freePort()
const nginx = await startNginx({ directory, port, instances: ports })
started.push(nginx.stop)

const jwtSecret = randomBytes(32).toString('base64url')
const documentServer = await createDocumentServer({ jwtSecret })
/** @type {Map<number, import('node:child_process').ChildProcess>} */
const instances = new Map()
started.push(stopInstances)
started.push(() => documentServer.close()) // before the instances: it saves open documents
process.once('exit', () => { for (const instance of instances.values()) instance.kill('SIGKILL') })
for (const port of ports) startInstance(port)
while (!(await fetch(`${nginx.url}/health`).catch(() => undefined))?.ok) await delay(200)

console.log(`Documents: ${nginx.url}`)
console.log(`The object store: ${endpoint}, bucket ${BUCKET}, access key ${accessKeyId}, secret ${secretAccessKey}`)

async function createBucket () {
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
  client.destroy()
}

/** @param {number} port */
function startInstance (port) {
  const instance = fork(INSTANCE, {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
      EDITOR_API_URL: documentServer.editorApiUrl,
      JWT_SECRET: jwtSecret,
      PUBLIC_BASE_URL: nginx.url,
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey
    }
  })
  instances.set(port, instance)
  console.log(`Instance: http://127.0.0.1:${port}, process ID ${instance.pid}`)
  instance.once('exit', (code, signal) => {
    instances.delete(port)
    if (stopping) return
    console.log(`The instance with the process ID ${instance.pid} has ended: ${signal ?? code}`)
    setTimeout(() => { if (!stopping) startInstance(port) }, 1000)
  })
}

async function stopInstances () {
  await Promise.all([...instances.values()].map(async instance => {
    const exited = once(instance, 'exit')
    instance.kill('SIGTERM')
    await exited
  }))
}

/** The last that was started first. */
async function stop () {
  for (const end of started.reverse()) await end().catch(error => console.error(error))
  process.exit()
}
