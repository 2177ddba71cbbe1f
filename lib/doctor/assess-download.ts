import type { DoctorFinding } from '../../types/doctor.js'
import { serviceFailure } from '../document-server/service-errors.js'
import type { Settings } from '../options.js'
import { error, isError, ok, skipped } from './findings.js'
import { firstWords, shown } from './plain-text.js'
import type { ConversionOutcome } from './probe-conversion.js'
import type { Sighting } from './probes.js'

export interface DownloadFacts {
  readonly id: string
  readonly outcome: ConversionOutcome
  /** Of the converted probe, if it could be fetched. */
  readonly resultText: string | undefined
  /** Requests of the document server for the probe. */
  readonly downloads: readonly Sighting[]
  /** What requests of this application to publicBaseUrl told. */
  readonly publicUrl: readonly DoctorFinding[]
}

/** Whether the document server gets our documents, by what came of the conversion of the probe. */
export function assessDownload ({ publicBaseUrl }: Pick<Settings, 'publicBaseUrl'>, { id, outcome, resultText, downloads, publicUrl }: DownloadFacts): DoctorFinding {
  const url = shown(publicBaseUrl)
  const [cause] = publicUrl.filter(finding => isError(finding) && finding.code !== 'CALLBACK_BODY_LIMIT')
  if (outcome === 'unfinished') return conversionTimeout()
  if ('fileUrl' in outcome) {
    if (resultText === undefined ? downloads.length > 0 : resultText.includes(id)) return ok('DOWNLOAD', `The document server downloaded a document from ${url} and converted it.`)
    if (resultText === undefined) return skipped('DOWNLOAD', 'The document server converted a document, but its result cannot be fetched, and this instance has seen no request.')
    return cause ? consequence(cause) : replaced(`What it converted begins with ${firstWords(resultText)}.`)
  }
  if ('problem' in outcome) return conversionFailed(outcome.problem)

  if (outcome.error !== '-4' && !(outcome.error === '-3' && downloads.length === 0)) return conversionFailed(serviceFailure(outcome.error).reason)
  if (cause) return consequence(cause)
  return outcome.error === '-3' ? replaced('It reports that it cannot convert what it got (error -3), and this instance has seen no request for it.') : unreachable()

  function consequence ({ code }: DoctorFinding): DoctorFinding {
    return skipped('DOWNLOAD', `The document server does not get our document, as the finding ${code} explains.`)
  }

  function unreachable (): DoctorFinding {
    const own = publicUrl.some(({ code, status }) => code === 'CALLBACK' && status === 'ok')
    const isSeen = downloads.length > 0
    const seen = isSeen
      ? 'Its request arrived here, but it did not get the answer, or not all of it.'
      : `No request of it arrived here${own ? '; this application itself reaches that URL' : ', and this application does not reach that URL either'}.`
    const start = isSeen || own ? '' : 'If nothing listens there yet, start the application. '
    return error('DOWNLOAD_UNREACHABLE', `The document server reports that it cannot download from ${url} (error -4). ${seen}`,
      start + 'Set publicBaseUrl to a URL that the document server\'s machine or container can request; try it there: curl -I <publicBaseUrl>. In a container, localhost is the container itself: use http://host.docker.internal:3000 or the name of the application\'s container. If its log says that a private IP address is not allowed, set services.CoAuthoring.request-filtering-agent.allowPrivateIPAddress to true. If publicBaseUrl has a certificate of your own authority, name that authority\'s file in NODE_EXTRA_CA_CERTS in the environment of the document server.')
  }

  function replaced (evidence: string): DoctorFinding {
    return error('DOWNLOAD_REPLACED', `The document server downloads from ${url}, but what it gets is not our document. ${evidence}`,
      'Something answers the document server in this application\'s place, such as a login page of a proxy. Request publicBaseUrl from the machine of the document server, and let requests to the handler\'s path pass.')
  }
}

function conversionFailed (reason: string): DoctorFinding {
  return error('CONVERSION_FAILED', `The conversion of a small document failed: ${reason}.`,
    'Look into the log of the document server\'s converter (/var/log/onlyoffice/documentserver/converter), and let the proxy in front of the document server pass POST requests to /ConvertService.ashx.')
}

function conversionTimeout (): DoctorFinding {
  return error('CONVERSION_TIMEOUT', 'The conversion of a small document was not finished in time.',
    'Restart the document server\'s converter and its queue (RabbitMQ), and look into the converter\'s log: documents are converted when they are opened, too.')
}
