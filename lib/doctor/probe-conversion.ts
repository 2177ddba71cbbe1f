import { setTimeout as delay } from 'node:timers/promises'
import type { DocumentServerClient } from '../document-server/client.js'
import { parseConversionAnswer } from '../document-server/conversion-answer.js'
import type { Outbound } from '../outbound/outbound.js'
import { bytesOf, discard } from '../streams.js'
import { parseUrl } from '../url.js'
import { type ConnectionFault, connectionFault } from './connection-fault.js'
import { PROBE_FORMAT } from './probe-document.js'

/** How the conversion of the probe ended. */
export type ConversionOutcome =
  | { readonly fileUrl: URL }
  /** The document server reports an error: a number below 0. */
  | { readonly error: string }
  | { readonly problem: string }
  | 'unfinished'

interface Dependencies {
  readonly client: Pick<DocumentServerClient, 'post'>
  readonly outbound: Outbound
}

export interface Probe {
  readonly id: string
  /** Where the document server downloads it. */
  readonly url: string
}

/** The pause before the second request; each further one is twice as long. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000
const REQUEST_TIMEOUT_MS = 15_000
/** The document server tries a download three times and may wait ten seconds for each connection. */
const CONVERSION_TIMEOUT_MS = 45_000

/** The same request again gets the same result. */
export function probeConversion ({ id, url }: Probe): object {
  return { async: true, filetype: PROBE_FORMAT, key: id, outputtype: 'txt', title: `probe.${PROBE_FORMAT}`, url }
}

/** Lets the document server convert the probe at `url` to text, under a key that no other conversion has. */
export async function convertProbe ({ client }: Pick<Dependencies, 'client'>, probe: Probe, signal: AbortSignal): Promise<ConversionOutcome> {
  const request = probeConversion(probe)
  const giveUpAt = performance.now() + CONVERSION_TIMEOUT_MS
  try {
    for (let pause = FIRST_PAUSE_MS; performance.now() < giveUpAt; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const { status, text } = await client.post('converter', request, { signal, total: REQUEST_TIMEOUT_MS, shardKey: probe.id })
      if (status !== 200) return { problem: `the conversion service answers status ${status}${status === 403 ? ', as one that convertServiceEnable switches off' : ''}` }
      const answer = parseConversionAnswer(text)
      if (answer.error !== undefined) return { error: answer.error }
      if (answer.fileUrl !== undefined) {
        const fileUrl = parseUrl(answer.fileUrl)
        return fileUrl ? { fileUrl } : { problem: 'the URL of its result is invalid' }
      }
      await delay(pause, undefined, { signal })
    }
    return 'unfinished'
  } catch (failure) {
    signal.throwIfAborted()
    return { problem: (failure as Error).message }
  }
}

/** The text of a result, or why it could not be fetched. */
export async function fetchResult ({ outbound }: Pick<Dependencies, 'outbound'>, url: URL, signal: AbortSignal): Promise<{ readonly text: string } | { readonly status: number } | { readonly failure: ConnectionFault }> {
  try {
    const { status, body } = await outbound('conversion', url, { signal, total: REQUEST_TIMEOUT_MS, limit: 1024 ** 2 })
    if (status === 200) return { text: (await bytesOf(body)).toString('utf8') }
    discard(body)
    return { status }
  } catch (failure) {
    signal.throwIfAborted()
    return { failure: connectionFault(failure) }
  }
}
