import t from 'tap'
import { growthText, MIB } from '../../bench/processes/memory.js'
import { measureS3Growth } from '../../bench/processes/s3-memory.js'
import { s3Storage } from '../../lib/store/s3/index.js'
import { noS3, s3 } from '../kit/s3.js'

const SIZE = 256 * MIB
const LIMIT = 128 * MIB // of which V8 leaves about 64 MiB of buffers that nobody uses any more

t.setTimeout(300_000)

t.test('a save and a download of 256 MiB take less than 128 MiB of memory', { skip: noS3 }, async t => {
  const { options, endpoint, prefix, bucket, client } = await s3(t)
  const { accessKeyId, secretAccessKey } = await client.config.credentials()
  const environment = { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_PREFIX: prefix, S3_ACCESS_KEY: accessKeyId, S3_SECRET_KEY: secretAccessKey }
  const storage = s3Storage({ ...options, sweepInterval: false })
  for (const [name, measured] of Object.entries(await measureS3Growth({ environment, storage, size: SIZE }))) {
    t.ok(measured.growth < LIMIT, name, measured)
    t.comment(growthText(name, SIZE, measured, LIMIT))
  }
})
