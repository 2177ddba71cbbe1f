import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ENDED_BY_HOOK, ENDED_BY_HOOK_HEADER, looksLikeProbe, PROBE_FORMAT, type ProbeAnswer, probeDocument, type Probes,
  type SeenToken
} from '../doctor/probes.js'
import { mediaTypeOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import type { Settings } from '../options.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import { withTimeout } from '../util/with-timeout.js'
import { isHandlerQuery, notesOf, type Probe } from './request.js'
import { isEndedByHook, untrustedContentHeaders } from './responses.js'

/**
 * Requests for a probe of the doctor, recognized by the signature of their URL. They reach no hook, file or session.
 */
export interface ProbeRequests {
  /** Decides when it is first asked about a request, which is before the body is read. */
  recognizes (request: FastifyRequest): boolean
  /** Counts the bytes of the body. */
  readBody (payload: Readable): Promise<{ readonly bytes: number }>
  answer (request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Proves to the doctor that an answer comes from a hook of the application, and not from a proxy in front of it. */
  markIfEndedByHook (request: FastifyRequest, reply: FastifyReply): void
}

interface Dependencies {
  readonly settings: Pick<Settings, 'documentServer' | 'bodyLimit' | 'clock' | 'timeouts'>
  readonly tokens: Pick<TokenSigner, 'verify'>
  readonly urls: Pick<HandlerUrls, 'checkProbe' | 'signProbeAnswer'>
  readonly probes: Probes
}

/** A JSON Web Token at the end of a header, and what precedes it. */
const TOKEN = /^([\w-]{0,20}[ =:]{0,2})(eyJ[\w-]*\.[\w-]*\.[\w-]*=*)$/
const MAX_TOKENS = 5
const METHODS = { callback: 'POST', download: 'GET' } as const

export function createProbeRequests (
  { settings: { documentServer, bodyLimit, clock, timeouts }, tokens, urls, probes }: Dependencies
): ProbeRequests {
  return {
    recognizes: request => probeIn(request) !== null,

    readBody: payload => withTimeout(async () => ({ bytes: await sizeOf(payload) }), {
      milliseconds: timeouts.body,
      timeoutError: ms => new InvalidCallbackError(`the body of the probe did not arrive within ${ms} ms`)
    }),

    markIfEndedByHook (request, reply) {
      const probe = isEndedByHook(notesOf(request)) ? probeIn(request) : null
      if (probe) reply.header(ENDED_BY_HOOK_HEADER, urls.signProbeAnswer(probe.id, ENDED_BY_HOOK))
    },

    answer (request, reply) {
      const notes = notesOf(request)
      const { id, action } = notes.probe!
      notes.hasReachedAction = true
      if (action === 'download') {
        return reply.headers({ ...untrustedContentHeaders, 'content-type': mediaTypeOf(PROBE_FORMAT) }).send(
          probeDocument(id)
        )
      }
      const { bytes } = request.body as { readonly bytes?: number } | null ?? {}
      if (bytes === undefined) throw new InvalidCallbackError('the probe has no body')
      const probe = JSON.stringify(
        { instance: probes.instance, bytes, sightings: probes.sightings(id) } satisfies ProbeAnswer
      )
      return reply.headers({ ...untrustedContentHeaders, 'content-type': 'application/json' })
        .send(Buffer.from(JSON.stringify({ error: 0, probe, signature: urls.signProbeAnswer(id, probe) })))
    }
  }

  function probeIn (request: FastifyRequest): Probe | null {
    const notes = notesOf(request)
    if (notes.probe === undefined) notes.probe = signedProbe(request)
    return notes.probe
  }

  function signedProbe (request: FastifyRequest): Probe | null {
    const probe = probeOf(request)
    if (!probe) return null
    const { id, action } = probe
    const isSigned = urls.checkProbe(action, id, request.query as object) === 'valid'
    if (isSigned || probes.knows(id)) {
      probes.note(id, { action, isSigned, host: request.headers.host ?? '', tokens: seenTokens(request) })
    }
    return isSigned ? probe : null
  }

  async function sizeOf (payload: Readable): Promise<number> {
    let bytes = 0
    for await (const chunk of payload) {
      bytes += (chunk as Buffer).length
      if (bytes > bodyLimit) throw new TooLargeError(bodyLimit)
    }
    return bytes
  }

  /** Only what can be a token is verified: a gateway may add tokens of its own. */
  function seenTokens ({ headers }: FastifyRequest): SeenToken[] {
    const { authorizationHeader, authorizationPrefix } = documentServer
    return Object.entries(headers).flatMap(([header, value]) => {
      const [, prefix, token] = TOKEN.exec(typeof value === 'string' ? value : '') ?? []
      if (prefix === undefined || token === undefined) return []
      const isExpectedThere = header === authorizationHeader && prefix === authorizationPrefix
      const verification = tokens.verify(token)
      if ('claims' in verification) {
        return [{ header, prefix, isExpectedThere, ...issuedAgo(verification.claims.iat, clock.now()) }]
      }
      const { problem, remedy, algorithm, issuedSecondsAgo } = verification.fault
      return [{
        header,
        prefix,
        isExpectedThere,
        fault: { problem, remedy, ...(algorithm && { algorithm }) },
        ...(issuedSecondsAgo !== undefined && { issuedSecondsAgo })
      }]
    }).slice(0, MAX_TOKENS)
  }
}

function probeOf ({ method, query }: FastifyRequest): Probe | undefined {
  if (!isHandlerQuery(query) || query.fileId === undefined || !looksLikeProbe(query.fileId)) return undefined
  const { action, fileId: id } = query
  return (action === 'callback' || action === 'download') && method === METHODS[action] ? { id, action } : undefined
}

function issuedAgo (iat: unknown, now: number): { readonly issuedSecondsAgo?: number } {
  return typeof iat === 'number' ? { issuedSecondsAgo: Math.round(now / 1000 - iat) } : {}
}
