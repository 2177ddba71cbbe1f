import { stat } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { EditorOptions } from '../../../lib/index.js'
import { signed } from '../../kit/host.js'
import { zipOf } from '../../kit/packages.js'
import type { AlwaysStopped, Run } from './attack.js'
import { pageRequest } from './proxying.js'
import { EVIL, startTarget, type Target } from './target.js'

const LIMIT = 64 * 1024
const BIG = zipOf(Buffer.alloc(64 * LIMIT))

/** The limits of the service; none in the control run. */
function limited (limits: Partial<EditorOptions>, run: (limits: Partial<EditorOptions>) => Run): Pick<AlwaysStopped, 'run' | 'control'> {
  return { run: run(limits), control: run({}) }
}

/** Whether more than the limit is on the disk when the document server serves that. */
const storing = (serve: RequestListener) => (limits: Partial<EditorOptions>): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, ...limits, serve, memory: false })
  await target.saveFrom(target.url)
  const directory = join(t.testdirName, 'uploads')
  const sizes = (await target.listing()).filter(name => name.includes('.')).map(async name => (await stat(join(directory, name))).size)
  return Math.max(...await Promise.all(sizes)) > LIMIT
}

/** Without a length, in pieces. */
const endless: RequestListener = async (_request, response) => {
  for (let at = 0; at < BIG.length && !response.destroyed; at += LIMIT) response.write(BIG.subarray(at, at + LIMIT))
  response.end()
}

const bomb: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BIG))
}

/** A byte now and then: never idle for long, and no end for a while. */
const drip: RequestListener = async (_request, response) => {
  for (const byte of EVIL) {
    if (response.destroyed) return
    response.write(byte)
    await delay(15)
  }
  response.end()
}

const holdingUp = (limits: Partial<EditorOptions>): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, ...limits, serve: drip })
  await target.saveFrom(target.url)
  return await target.isReplaced()
}

const postingMuch = (limits: Partial<EditorOptions>): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, ...limits })
  const claims = { key: target.key, status: 2, url: target.evilUrl, filetype: 'docx', userdata: 'x'.repeat(2 * LIMIT) }
  await target.postCallback(target.fileId, { ...claims, token: signed(claims) })
  return await target.isReplaced()
}

const proxyingMuch = (limits: Partial<EditorOptions>): Run => async (t, options) => {
  const target = await startTarget(t, { ...options, ...limits, serve: endless })
  return await bytesThrough(target) > LIMIT
}

async function bytesThrough (target: Target): Promise<number> {
  const response = await fetch(...await pageRequest(target, `${target.documentServer.origin}/cache/files/x`))
  if (response.status !== 200) throw new Error(`not through the proxy: ${response.status}`)
  const reader = response.body!.getReader()
  let bytes = 0
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) bytes += chunk.value.length
  } catch { /* cut off */ }
  return bytes
}

export const exhaustion: readonly AlwaysStopped[] = [
  {
    title: 'fills the disk with an endless saved file',
    has: 'authentic callbacks',
    because: '`maxFileSize`',
    ...limited({ maxFileSize: LIMIT }, storing(endless))
  },
  {
    title: 'fills the disk with a decompression bomb',
    has: 'authentic callbacks; a server that answers with gzip',
    because: '`maxFileSize` counts after decoding',
    ...limited({ maxFileSize: LIMIT }, storing(bomb))
  },
  {
    title: 'uses up traffic with an endless proxied file',
    has: 'a page with a document of their own; a file at the document server',
    because: '`maxFileSize`',
    ...limited({ maxFileSize: LIMIT }, proxyingMuch)
  },
  {
    title: 'fills the memory with a huge callback',
    has: 'authentic callbacks',
    because: '`bodyLimit`',
    ...limited({ bodyLimit: LIMIT }, postingMuch)
  },
  {
    title: 'delays a document\'s saves with an answer that trickles in',
    has: 'authentic callbacks',
    because: '`timeouts.total`',
    ...limited({ timeouts: { total: 150 } }, holdingUp)
  }
]
