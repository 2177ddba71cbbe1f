import { randomUUID } from 'node:crypto'
import type { DoctorFinding } from '../../types/doctor.js'
import type { DocumentServerClient } from '../document-server/client.js'
import { parseConversionAnswer } from '../document-server/conversion-answer.js'
import { hasFromFile, isFromService } from '../document-server/from-file.js'
import { bytesOf } from '../streams.js'
import { ok, skipped, warning } from './findings.js'
import { PROBE_FORMAT, probeDocument } from './probe-document.js'

const DOWNLOADED = 'so the document server downloads content that is converted, and scripts, from publicBaseUrl.'
const TIMEOUT_MS = 15_000

/** How content that is converted reaches the document server: in the request, or by a download. */
export async function checkFromFile ({ client }: { readonly client: Pick<DocumentServerClient, 'postForm'> }, version: string | undefined, signal: AbortSignal): Promise<DoctorFinding> {
  if (version === undefined) return skipped('FROM_FILE', 'The document server did not report its version.')
  if (!hasFromFile(version)) return ok('FROM_FILE', `Version ${version} takes no files in requests, ${DOWNLOADED}`)
  try {
    const request = { async: false, filetype: PROBE_FORMAT, key: randomUUID(), outputtype: 'txt' }
    const response = await client.postForm('converter', request, { name: `probe.${PROBE_FORMAT}`, bytes: Buffer.from(probeDocument('probe')) }, { signal, total: TIMEOUT_MS, shardKey: request.key })
    const { status, header, body } = response
    const text = (await bytesOf(body)).toString()
    if (!isFromService(response)) return ok('FROM_FILE', `/converter/from-file answers status ${status}, ${DOWNLOADED}`)
    if (status !== 200) return refused(`status ${status}`)
    const { error } = /^application\/json\b/i.test(header('content-type') ?? '') ? parseConversionAnswer(text) : {}
    if (error === undefined) return ok('FROM_FILE', 'The document server takes content that is converted, and scripts, in requests.')
    return refused(`error ${error}`)
  } catch (failure) {
    signal.throwIfAborted()
    return refused((failure as Error).message)
  }
}

function refused (problem: string): DoctorFinding {
  return warning('FROM_FILE_FAILED', `A file in a request to /converter/from-file was not converted: ${problem}.`,
    'See the log of the document server\'s converter. Until it is mended, convert documents at a url.')
}
