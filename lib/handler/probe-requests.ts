import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaTypeOf } from '../document-server/formats.js'
import { InvalidCallbackError, TooLargeError } from '../errors.js'
import type { Services } from '../services.js'
import { readBody } from '../util/limits.js'
import { withoutUndefined } from '../util/validate.js'
import { zip } from '../util/zip.js'
import { isEndedByHook, notesOf, type Probe, PROBE_PREFIX, probeOf, untrustedContentHeaders } from './request.js'

/** A token in a request for a probe. Neither the token nor its claims are kept. */
export interface SeenToken {
  /** Name of the header. */
  readonly header: string
  /** The text before the token in the header. */
  readonly prefix: string
  /** Whether the handler looks for a token in this header, after this prefix. */
  readonly isExpectedThere: boolean
  /** Why it is invalid. Absent if it is valid. */
  readonly fault?: { readonly problem: string, readonly remedy: string, readonly algorithm?: string }
  /** By the clock of the instance that saw the token. Only present if the token is signed with our secret. */
  readonly issuedSecondsAgo?: number
}

/** One request for a probe, as an instance saw it. */
export interface Sighting {
  readonly action: 'callback' | 'download'
  /** Whether its URL arrived with the signature it was made with. */
  readonly isSigned: boolean
  /** The Host header. */
  readonly host: string
  readonly tokens: readonly SeenToken[]
}

/** An instance's answer to a probe of the callback URL. */
export interface ProbeAnswer {
  readonly instance: string
  /** Size of the body that arrived. */
  readonly bytes: number
  /** The requests for this probe that the instance has seen so far. */
  readonly sightings: readonly Sighting[]
}

/** Signed to prove that a hook of the application has answered a probe. */
export const ENDED_BY_HOOK = 'ended-by-hook'
/** Carries the signature of `ENDED_BY_HOOK`. */
export const ENDED_BY_HOOK_HEADER = 'x-editor-probe'

const MAX_PROBES = 50
/** The document server tries a download three times. */
const MAX_SIGHTINGS = 10
const KEPT_MS = 10 * 60_000

export type Probes = ReturnType<typeof createProbes>

/** The requests for the doctor's probes that this process has seen. Bounded, and kept in memory for a few minutes. */
export function createProbes () {
  const kept = new Map<string, { readonly since: number, readonly sightings: Sighting[] }>()

  function entry (id: string): Sighting[] {
    const known = kept.get(id)
    if (known) return known.sightings
    for (const [oldest, { since }] of kept) {
      if (kept.size < MAX_PROBES && performance.now() - since < KEPT_MS) break
      kept.delete(oldest)
    }
    const sightings: Sighting[] = []
    kept.set(id, { since: performance.now(), sightings })
    return sightings
  }

  return {
    /** Identifies this instance of the application. */
    instance: randomBytes(9).toString('base64url'),
    /** Returns the ID of a new probe. Requests for it are noted even if their signature got lost. */
    start (): string {
      const id = PROBE_PREFIX + randomBytes(12).toString('hex')
      entry(id)
      return id
    },
    note (id: string, sighting: Sighting): void {
      const sightings = entry(id)
      if (sightings.length < MAX_SIGHTINGS) sightings.push(sighting)
    },
    /** Whether this process has started or seen this probe. */
    knows: (id: string) => kept.has(id),
    sightings: (id: string): readonly Sighting[] => [...kept.get(id)?.sightings ?? []]
  }
}

/** Extension of the probe's document: every document server converts it to text. */
export const PROBE_FORMAT = 'docx'

const OOXML = 'http://schemas.openxmlformats.org'
const OFFICE = `${OOXML}/officeDocument/2006/relationships`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The smallest document with a text, which must contain nothing that XML would have to escape. */
export function probeDocument (text: string): Buffer {
  const parts = {
    '[Content_Types].xml':
      `${DECLARATION}<Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels':
      `${DECLARATION}<Relationships xmlns="${OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml':
      `${DECLARATION}<w:document xmlns:w="${OOXML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`
  }
  return zip(parts, Object.keys(parts))
}

/** A JSON Web Token at the end of a header, and the text before it. */
const TOKEN = /^([\w-]{0,20}[ =:]{0,2})(eyJ[\w-]*\.[\w-]*\.[\w-]*=*)$/
const MAX_TOKENS = 5

export type ProbeRequests = ReturnType<typeof createProbeRequests>

/**
 * Handles requests of the doctor's probes, recognized by the signature of their URL. They reach no hook, file or
 * session.
 */
export function createProbeRequests (
  { settings: { documentServer, bodyLimit, clock, timeouts }, tokens, urls }: Services, probes: Probes
) {
  return {
    /** Decides when it is first asked about a request, which is before the body is read. */
    recognizes: (request: FastifyRequest) => probeIn(request) !== null,

    /** Counts the bytes of the body. */
    async readBody (payload: Readable): Promise<{ readonly bytes: number }> {
      const { length: bytes } = await readBody(payload, {
        limit: bodyLimit,
        milliseconds: timeouts.body,
        tooLarge: () => new TooLargeError(bodyLimit),
        cutOff: () => new InvalidCallbackError('its body was truncated'),
        timeoutError: ms => new InvalidCallbackError(`the body of the probe did not arrive within ${ms} ms`)
      })
      return { bytes }
    },

    /**
     * Proves to the doctor that an answer comes from a hook of the application, and not from a proxy in front of it.
     */
    markIfEndedByHook (request: FastifyRequest, reply: FastifyReply): void {
      const probe = isEndedByHook(notesOf(request)) ? probeIn(request) : null
      if (probe) reply.header(ENDED_BY_HOOK_HEADER, urls.signProbeAnswer(probe.id, ENDED_BY_HOOK))
    },

    answer (request: FastifyRequest, reply: FastifyReply): FastifyReply {
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

  /** Verifies only what can be a token: a gateway may add tokens of its own. */
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
      const fault = { problem, remedy, ...(algorithm && { algorithm }) }
      return [withoutUndefined({ header, prefix, isExpectedThere, fault, issuedSecondsAgo })]
    }).slice(0, MAX_TOKENS)
  }
}

function issuedAgo (iat: unknown, now: number): { readonly issuedSecondsAgo?: number } {
  return typeof iat === 'number' ? { issuedSecondsAgo: Math.round(now / 1000 - iat) } : {}
}
