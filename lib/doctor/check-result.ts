import type { DoctorFinding } from '../../types/doctor.js'
import type { DocumentServerClient } from '../document-server/client.js'
import { parseConversionAnswer } from '../document-server/conversion-answer.js'
import { SERVICE_PATHS, serviceUrl } from '../document-server/server-urls.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import { parseUrl } from '../url.js'
import type { DirectRequester } from './direct-request.js'
import { error, ok, skipped } from './findings.js'
import { shown } from './plain-text.js'
import { type ConversionOutcome, fetchResult, type Probe, probeConversion } from './probe-conversion.js'

interface Dependencies {
  readonly settings: Pick<Settings, 'documentServer'>
  readonly outbound: Outbound
  readonly direct: DirectRequester
  readonly client: Pick<DocumentServerClient, 'bodyOf'>
}

export interface ResultCheck {
  readonly finding: DoctorFinding
  readonly text?: string
}

/** Whether files that the document server announces may and can be fetched: saved files have the same kind of URL. */
export async function checkResult ({ settings: { documentServer }, outbound, direct, client }: Dependencies, { probe, outcome }: { readonly probe: Probe, readonly outcome: ConversionOutcome }, signal: AbortSignal): Promise<ResultCheck> {
  if (outcome === 'unfinished' || !('fileUrl' in outcome)) return { finding: skipped('RESULT', 'There is no converted file.') }
  const { fileUrl } = outcome
  const foreign = [fileUrl, await announcedInPublic()].find(url => url && !isAllowed(url))
  if (foreign) return { finding: foreignOrigin(foreign) }

  const result = await fetchResult({ outbound }, fileUrl, signal)
  if ('text' in result) return { finding: ok('RESULT', `A converted file was announced at ${fileUrl.origin} and fetched.`), text: result.text }
  const seen = 'status' in result ? `status ${result.status}` : `${result.failure.code}, ${result.failure.meaning}`
  return {
    finding: error('RESULT_FETCH', `The converted file at ${shown(new URL('/cache/files/', fileUrl))} cannot be fetched: ${seen}. Saved files have such URLs.`,
      'Let the proxy in front of the document server pass GET requests to /cache/files/ with their query. If the announced host cannot be reached from here, set documentServer.internalUrl.')
  }

  /**
   * Where the document server announces the same file to a request through its public origin, as browsers send it: saved files get
   * their URLs from those. `undefined` if that is where the conversion was requested, or if it cannot be reached from here.
   */
  async function announcedInPublic (): Promise<URL | undefined> {
    if (documentServer.internalOrigin === null) return undefined
    const url = serviceUrl(documentServer.publicUrl, SERVICE_PATHS.converter)
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    const inPublic = await direct('probe', url, { method: 'POST', headers, body: client.bodyOf('converter', probeConversion(probe)), signal })
    try {
      const answer = 'response' in inPublic ? parseConversionAnswer(inPublic.response.text) : undefined
      return answer && answer.error === undefined && answer.fileUrl !== undefined ? parseUrl(answer.fileUrl) : undefined
    } catch { // something else answers there: the check of api.js tells
      return undefined
    }
  }

  function isAllowed ({ origin }: URL): boolean {
    return documentServer.anyOrigin || documentServer.origins.has(origin)
  }

  function foreignOrigin ({ origin, host }: URL): DoctorFinding {
    const own = [...documentServer.origins]
    const sameHost = own.some(one => new URL(one).host === host)
    const header = sameHost ? 'X-Forwarded-Proto' : 'X-Forwarded-Host'
    return error('RESULT_ORIGIN', `The document server announces a converted file at ${origin}, but its origins are ${own.join(', ')}. Saved files are announced in the same way, and are not fetched from there.`,
      `Set the header ${header} at the proxy in front of the document server (nginx: ${sameHost ? 'proxy_set_header X-Forwarded-Proto $scheme;' : 'proxy_set_header Host $http_host; or proxy_set_header X-Forwarded-Host $http_host;'}). Or, if ${origin} is the document server, add it to documentServer.origins.`)
  }
}
