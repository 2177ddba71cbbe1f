import { PutObjectCommand } from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileState, recordPaths } from '../../lib/storage/file-state.js'
import { modesFor } from '../../lib/storage/file-system.js'
import { EMPTY_LOG, parseSegment, type VersionLog } from '../../lib/storage/version-log.js'
import { BLOCK, editLog } from '../../lib/storage/version-log-editor.js'
import type { TestS3 } from '../kit/s3.js'

// What so many saves would have left, written at once. Contents, changes and details of these versions are missing: no
// save needs them.

interface StoredLog {
  readonly log: VersionLog
  /** The segments: by name their texts, and the numbers of their newest versions. */
  readonly segments: ReadonlyMap<string, readonly [text: string, last: number]>
}

/** Each fourth one ends a session: the two before it may go when there are too many. */
async function logOf (versions: number): Promise<StoredLog> {
  const segments = new Map<string, [string, number]>()
  let log = EMPTY_LOG
  for (let version = 1; version <= versions; version++) {
    const editor = editLog(log, {
      read: async ({ blob }) => parseSegment(segments.get(blob.name)![0]),
      async write (text, last) {
        const name = randomUUID()
        segments.set(name, [text, last])
        return { name, size: text.length }
      }
    })
    const time = new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString()
    const [content, changes, details] = [100_000, 20_000, 25_000].map(size => ({
      name: randomUUID(),
      size,
      mtimeNs: '1'
    })) as [StoredBlob, StoredBlob, StoredBlob]
    editor.keep({
      version,
      revision: `revision ${version}`,
      extension: 'txt',
      modifiedAt: time,
      keptAt: time,
      content,
      changes,
      details,
      session: `session ${Math.floor(version / 4)}`
    })
    await editor.roll()
    for (const name of editor.superseded().keys()) segments.delete(name)
    log = editor.log()
  }
  return { log, segments }
}

type StoredBlob = VersionLog['segments'][number]['blob']

export async function writeVersionsToFiles (directory: string, fileId: string, versions: number): Promise<void> {
  const root = join(directory, '.fastify-onlyoffice-versions')
  const { log, segments } = await logOf(versions)
  const { folderOf } = recordPaths(root)
  const records = fileState(root, modesFor(), async () => {}, new AbortController().signal)
  await records.prepare(async () => true)
  await records.set(fileId, { log, superseded: [] }, (await records.get(fileId))?.version ?? null)
  for (const [name, [text, last]] of segments) {
    const path = join(folderOf(fileId), 'blobs', String(Math.floor(last / BLOCK)), name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

export async function writeVersionsToStore ({ client, bucket, prefix, textOf }: TestS3, fileId: string, versions: number): Promise<void> {
  const { log, segments } = await logOf(versions)
  const put = async (key: string, text: string) => await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: text }))
  for (const [name, [text]] of segments) await put(`contents/${fileId}/${name}`, text)
  await put(`records/${fileId}.json`, JSON.stringify({ ...JSON.parse(await textOf(`records/${fileId}.json`)), versions: log }))
}
