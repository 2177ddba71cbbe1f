import type { FastifyInstance } from 'fastify'
import { type Editable, isOperation } from '../documents/types.js'
import { type Editing, fieldsOf } from '../editing.js'
import { badToken, told } from '../errors.js'
import { readable } from './handed-over.js'

interface Version {
  readonly version: number
  readonly fileType: string
  /** As JSON. */
  readonly doc: object
  readonly serverVersion: string
  readonly url?: string
}

/**
 * Fetches a version for the page: the version itself, the one before it and the changes between them. Only the token's
 * fields count. Source: docs/document-server-protocol.md#version-history
 */
export function versionRoute (app: FastifyInstance, editing: Editing): void {
  app.post<{ Body: { data?: unknown, change?: unknown } | null }>('/downloadfile/*', async (request, reply) => {
    const { data, change } = request.body ?? {}
    try {
      return await versionOf(editing, editing.baseUrlOf(request), data, typeof change === 'number' ? change : null)
    } catch (error) {
      return await reply.code(403).send(told(error))
    }
  })
}

async function versionOf (editing: Editing, baseUrl: string, data: unknown, change: number | null): Promise<Version> {
  const { version, key, url, fileType, previous, changesUrl } = editing.trusted(data)
  const before = fieldsOf(previous)
  if (!version || !key || !url) throw badToken('The token of setHistoryData must contain version, key and url.')
  if (changesUrl && !(before.key && before.url)) {
    throw badToken('The token of setHistoryData must contain previous {key, url} beside changesUrl.')
  }
  const type = String(fileType ?? '').toLowerCase()
  const typeBefore = String(before.fileType ?? fileType ?? '').toLowerCase()
  const [bytes, bytesBefore, archive] = await Promise.all([
    editing.download(url, type),
    before.url ? editing.download(before.url, typeBefore) : null,
    changesUrl ? editing.download(changesUrl, '') : null
  ])
  const common = { version: Number(version), serverVersion: editing.version }
  const editable = change === null || archive === null || bytesBefore === null
    ? null
    : await replayed(typeBefore, bytesBefore, archive, change)
  if (editable === null) return { ...common, fileType: type, doc: await readable(type, bytes) }
  const changed = editable.bytes()
  return {
    ...common,
    fileType: typeBefore,
    doc: await readable(typeBefore, changed),
    url: baseUrl + editing.publish(String(key), `output.${typeBefore}`, changed, typeBefore)
  }
}

/** The document before, with the changes up to this one; `null` if they were not kept in full. */
async function replayed (
  fileType: string,
  before: Uint8Array,
  archive: Uint8Array,
  last: number
): Promise<Editable | null> {
  const { openPackage } = await import('../documents/office/package.js')
  const { openEditable } = await import('../documents/open.js')
  const { parts } = openPackage(archive)
  const editable = openEditable(fileType, before)
  for (let index = 0; index <= last; index++) {
    const part = parts.get(`changes${index}.json`)
    if (part === undefined) return null
    for (const made of JSON.parse(new TextDecoder().decode(part)) as unknown[]) {
      const { op, text } = fieldsOf(made)
      if (op === 'replace' && typeof text === 'string') editable.replaceText(text)
      else if (isOperation(made)) made.op === 'steps' ? editable.again?.(made) : editable.apply(made)
      else return null
    }
  }
  return editable
}
