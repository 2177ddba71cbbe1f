import type { FastifyInstance } from 'fastify'
import { readableDoc } from '../documents/extract/readable.js'
import { openPackage } from '../documents/office/package.js'
import { openEditable } from '../documents/open.js'
import { type Editable, isOperation } from '../documents/types.js'
import { isDocumentServerError } from '../errors.js'
import { type ResultFiles, resultFolder } from '../protocol/result-files/files.js'
import { baseUrlOf } from '../url.js'
import { badToken, fetchFile, type FetchParts, fieldsOf, trustedFields } from './handed-over.js'

interface Parts extends FetchParts {
  readonly files: ResultFiles
  /** Reported in the history of callbacks: only changes of this version can be shown. */
  readonly serverVersion: string
  readonly url: () => string
}

interface Version {
  readonly version: number
  readonly fileType: string
  /** As JSON. */
  readonly doc: object
  readonly previous: object | null
  readonly serverVersion: string
  readonly url?: string
}

/**
 * Fetches a version for the page: the version itself, the one before it and the changes between them. Only the token's
 * fields count. Source: docs/document-server-protocol.md#version-history
 */
export function versionRoute (app: FastifyInstance, parts: Parts): void {
  app.post<{ Body: { data?: unknown, change?: unknown } | null }>('/downloadfile/*', async (request, reply) => {
    const { data, change } = request.body ?? {}
    try {
      return await versionOf(parts, baseUrlOf(request, parts.url()), data, typeof change === 'number' ? change : null)
    } catch (error) {
      const code = isDocumentServerError(error) ? error.code : -1
      return await reply.code(403).send({ code, message: error instanceof Error ? error.message : String(error) })
    }
  })
}

async function versionOf (
  { client, time, tokens, files, serverVersion }: Parts,
  baseUrl: string,
  data: unknown,
  change: number | null
): Promise<Version> {
  const { version, key, url, fileType, previous, changesUrl } = trustedFields(tokens, data)
  const before = fieldsOf(previous)
  if (!version || !key || !url) throw badToken('The token of setHistoryData must contain version, key and url.')
  if (changesUrl && !(before.key && before.url)) {
    throw badToken('The token of setHistoryData must contain previous {key, url} beside changesUrl.')
  }
  const type = String(fileType ?? '').toLowerCase()
  const typeBefore = String(before.fileType ?? fileType ?? '').toLowerCase()
  const [bytes, bytesBefore, archive] = await Promise.all([
    fetchFile(client, time, url, type),
    before.url ? fetchFile(client, time, before.url, typeBefore) : null,
    changesUrl ? fetchFile(client, time, changesUrl, '') : null
  ])
  const common = {
    version: Number(version),
    serverVersion,
    previous: bytesBefore === null ? null : docOf(typeBefore, bytesBefore)
  }
  const editable = change === null || archive === null || bytesBefore === null
    ? null
    : replayed(typeBefore, bytesBefore, archive, change)
  if (editable === null) return { ...common, fileType: type, doc: docOf(type, bytes) }
  const changed = editable.bytes()
  const name = `output.${typeBefore}`
  const path = files.put(`${resultFolder(String(key))}/${name}`, name, changed, typeBefore)
  return {
    ...common,
    fileType: typeBefore,
    doc: docOf(typeBefore, changed),
    url: files.urlOf(path, baseUrl, String(key))
  }
}

/** The document before, with the changes up to this one; `null` if they were not kept in full. */
function replayed (fileType: string, before: Uint8Array, archive: Uint8Array, last: number): Editable | null {
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

function docOf (fileType: string, bytes: Uint8Array): object {
  return readableDoc(fileType, bytes).toJSON() as object
}
