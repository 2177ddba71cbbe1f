import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { documentWithText } from '../blank/blank-document.js'
import { mediaTypeOf } from '../document-server/formats.js'
import type { FileOffers } from '../document-server/files.js'
import { FileNotFoundError, MethodNotAllowedError, UnauthorizedError } from '../errors.js'
import type { Services } from '../services.js'
import { BoundedMap } from '../util/limits.js'
import { sha256Of } from '../util/text.js'
import { withoutUndefined } from '../util/validate.js'
import {
  closeUnlessComplete, METHODS, notesOf, type RouteOptionsOf, sendError, sendJson, untrustedContentHeaders
} from './request.js'

/** A token in a request for a probe. Neither the token nor its claims are kept. */
export interface SeenToken {
  /** Name of the header. */
  readonly header: string
  /** The text before the token in the header. */
  readonly prefix: string
  /** Whether the handler looks for a token in this header, after this prefix. */
  readonly isExpectedThere: boolean
  /** Why it is invalid. Absent if it is valid. */
  readonly fault?: { readonly problem: string, readonly remedy: string }
  /** By the clock of the instance that saw the token. Only present if the token is signed with our secret. */
  readonly issuedSecondsAgo?: number
}

/** One request for a probe, as an instance saw it. */
export interface Sighting {
  readonly method: string
  /** Whether the URL arrived with its original signature. */
  readonly isSigned: boolean
  readonly tokens: readonly SeenToken[]
}

/** An instance's answer to a POST of a probe. */
export interface ProbeAnswer {
  /** The instance that answers. */
  readonly instance: string
  /**
   * SHA-256 of what the probe names in the storage of this instance; `null` if it is not there. Absent if the probe
   * names nothing, or it could not be read.
   */
  readonly staged?: string | null
  /** The requests for this probe that the instance has seen so far. */
  readonly sightings: readonly Sighting[]
}

/** Every answer to a probe has this header. It proves that a hook of the application has answered, and not a proxy. */
export const PROBE_HEADER = 'x-editor-probe'
/** Its value, signed, if a hook of the application has answered instead of the probe. */
export const ENDED_BY_HOOK = 'ended-by-hook'
/** Its value if the signature of the URL is missing or wrong. */
export const REFUSED = 'refused'

const MAX_PROBES = 50
/** The document server tries a download three times. */
const MAX_SIGHTINGS = 10

export type Probes = ReturnType<typeof createProbes>

/** The requests for the doctor's probes that this process has seen. Bounded, and kept in memory. */
export function createProbes () {
  const kept = new BoundedMap<string, Sighting[]>(MAX_PROBES)
  return {
    /** Identifies this process, or rather this registration of the plugin in it. */
    instance: randomUUID(),
    /** Returns the ID of a new probe. Requests for it are noted even if their signature got lost. */
    start (): string {
      const id = randomBytes(12).toString('hex')
      kept.set(id, [])
      return id
    },
    note (id: string, sighting: Sighting): void {
      const sightings = kept.get(id) ?? []
      if (!sighting.isSigned && !kept.has(id)) return
      if (sightings.length < MAX_SIGHTINGS) kept.set(id, [...sightings, sighting])
    },
    sightings: (id: string): readonly Sighting[] => kept.get(id) ?? []
  }
}

const STAGED_FILE_ID = 'fastify-onlyoffice-probe-'
export const STAGED_BYTES = 4096

/** No file has this ID: content is staged for it in one examination. */
export function stagedFileId (probe: string): string {
  return STAGED_FILE_ID + probe
}

/** The ID of a probe that asks for the hash of what is staged under a name. */
export function probeOfStaged (probe: string, name: string): string {
  return `${probe}.${name}`
}

/** Extension of the probe's document: every document server converts it to text. */
export const PROBE_FORMAT = 'docx'

/** A JSON Web Token at the end of a header, and the text before it. */
const TOKEN = /^([\w-]{0,20}[ =:]{0,2})(eyJ[\w-]*\.[\w-]*\.[\w-]*=*)$/
const MAX_TOKENS = 5

interface ProbeServices extends Services {
  readonly probes: Probes
}

/**
 * The route of the doctor's probes: a GET is answered with a document, as a download, and a POST with what this
 * instance has seen, as a callback. Only the hooks of the application see the requests, and no file or session.
 */
export function probeScope (services: ProbeServices, routeOptions: RouteOptionsOf) {
  const { settings: { bodyLimit, path }, probes, storage, urls } = services
  const seenTokens = tokenReader(services)
  return async function probe (scope: FastifyInstance): Promise<void> {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, _body, done) => done(null))
    scope.route({
      ...routeOptions('document-server'),
      method: ['GET', 'POST'],
      url: `${path}/probe`,
      exposeHeadRoute: false,
      // Before the body is read.
      async onRequest (request, reply) {
        const id = idOf(request)
        const isSigned = urls.isProbe(id, request.query as object)
        probes.note(id, { method: request.method, isSigned, tokens: seenTokens(request) })
        if (isSigned) return
        notesOf(request).hasReachedAction = true
        reply.headers({ [PROBE_HEADER]: REFUSED, connection: 'close' })
        return await sendError(reply, id === '' ? new FileNotFoundError() : new UnauthorizedError('the URL is not signed'))
      },
      onSend (request, reply, _payload, done) {
        if (!notesOf(request).hasReachedAction) {
          reply.header(PROBE_HEADER, urls.signProbeAnswer(idOf(request), ENDED_BY_HOOK))
        }
        done()
      },
      handler: answer
    })
  }

  async function answer (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = idOf(request)
    notesOf(request).hasReachedAction = true
    if (request.method === 'GET') {
      return reply.headers({ ...untrustedContentHeaders, 'content-type': mediaTypeOf(PROBE_FORMAT) })
        .send(documentWithText(id))
    }
    const content = JSON.stringify(
      withoutUndefined({
        instance: probes.instance,
        sightings: probes.sightings(id),
        staged: await hashOfStaged(id).catch(() => undefined)
      }) satisfies ProbeAnswer
    )
    return sendJson(reply, { probe: content, signature: urls.signProbeAnswer(id, content) })
  }

  async function hashOfStaged (id: string): Promise<string | null | undefined> {
    const [, probe, name] = /^([0-9a-f]{24})\.([\w-]{1,64})$/.exec(id) ?? []
    if (probe === undefined || name === undefined || !storage.readStaged) return undefined
    const body = await storage.readStaged(stagedFileId(probe), { name, size: STAGED_BYTES })
    return body && await sha256Of(body)
  }
}

function idOf ({ query }: FastifyRequest): string {
  const { id } = query as { readonly id?: unknown }
  return typeof id === 'string' ? id : ''
}

/** Verifies only what can be a token: a gateway may add tokens of its own. */
function tokenReader ({ settings: { clock, documentServer }, tokens }: Services) {
  const { authorizationHeader, authorizationPrefix } = documentServer
  return function seenTokens ({ headers }: FastifyRequest): SeenToken[] {
    return Object.entries(headers).flatMap(([header, value]) => {
      const [, prefix, token] = TOKEN.exec(typeof value === 'string' ? value : '') ?? []
      if (prefix === undefined || token === undefined) return []
      const isExpectedThere = header === authorizationHeader && prefix === authorizationPrefix
      const verification = tokens.verify(token)
      if ('claims' in verification) {
        const { iat } = verification.claims
        const issuedSecondsAgo = typeof iat === 'number' ? Math.round(clock.now() / 1000 - iat) : undefined
        return [withoutUndefined({ header, prefix, isExpectedThere, issuedSecondsAgo })]
      }
      const { problem, remedy, issuedSecondsAgo } = verification.fault
      return [withoutUndefined({ header, prefix, isExpectedThere, fault: { problem, remedy }, issuedSecondsAgo })]
    }).slice(0, MAX_TOKENS)
  }
}

interface OfferOptions {
  /** Path of the route, below the prefix of its scope. */
  readonly path: string
  /** URL of the route, as the document server reaches it. */
  readonly url: () => string
}

/**
 * Serves files for a conversion or a document build to the document server, from memory. The ID in the query is the
 * only credential: it cannot be guessed, is not logged, and is only valid while the work is under way.
 */
export function createFileOffers ({ path, url }: OfferOptions): FileOffers & { readonly route: RouteOptions } {
  const files = new Map<string, Uint8Array>()
  return {
    offer (bytes) {
      const id = randomBytes(32).toString('base64url')
      files.set(id, bytes)
      return { url: `${url()}?id=${id}`, withdraw: () => { files.delete(id) } }
    },
    route: {
      method: METHODS,
      url: path,
      // Answers before a body is read: only GET and HEAD are served.
      async onRequest (request, reply) {
        if (request.method === 'GET' || request.method === 'HEAD') return
        closeUnlessComplete(request, reply)
        return await sendError(reply.header('allow', 'GET, HEAD'), new MethodNotAllowedError('download', 'GET, HEAD'))
      },
      handler (request: FastifyRequest, reply: FastifyReply) {
        const { id } = request.query as { id?: unknown }
        const bytes = typeof id === 'string' ? files.get(id) : undefined
        return bytes === undefined
          ? sendError(reply, new FileNotFoundError())
          : reply.headers({ ...untrustedContentHeaders, 'content-type': 'application/octet-stream' }).send(bytes)
      }
    }
  }
}
