// Measures how much the resident memory (RSS) of an application grows while a document of 1 GiB passes between it and
// an object store: a save, and a download by a slow client. Exits with 1 if it grows by 96 MiB or more, or a result is
// wrong.
import { s3Storage } from '../dist/lib/storage/s3/index.js'
import { growthText, MIB } from './processes/memory.js'
import { startObjectStore } from './processes/object-store.js'
import { measureS3Growth } from './processes/s3-memory.js'

const SIZE = 1024 * MIB
const LIMIT = 96 * MIB

const { client, bucket, environment, stop } = await startObjectStore()
try {
  const storage = s3Storage({ client, bucket, sweepInterval: false })
  for (const [name, measured] of Object.entries(await measureS3Growth({ environment, storage, size: SIZE }))) {
    console.log(growthText(name, SIZE, measured, LIMIT))
    if (!(measured.growth < LIMIT)) process.exitCode = 1
  }
} finally {
  await stop()
}
