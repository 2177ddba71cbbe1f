import { isDeepStrictEqual } from 'node:util'
import type { PageAction } from '../actions/action.js'
import type { SwaggerTransform } from '../handler/request.js'
import type { Settings } from '../options.js'
import { schemas } from './schemas.compiled.js'

/** In the form of a route's schema. */
interface Operation {
  readonly summary: string
  readonly description: string
  readonly querystring?: object
  readonly body?: object
  readonly consumes?: readonly string[]
  /** Absent: those of the application. */
  readonly security?: Requirements
  readonly response: Readonly<Record<number, object>>
}

/** Names of security schemes that a request must satisfy, all of one of these. `{}`: none. */
type Requirements = Array<Record<string, string[]>>

const DEFAULT_TAGS = ['editor']

const BINARY = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

/**
 * A method of a path can have one operation, whose answer depends on the query: the handler's actions are described
 * together. A query in the path would give each its own, but the specification does not allow that, and linters refuse
 * it.
 */
export function describedOperations (settings: Settings) {
  const { schemes, security } = securityOf(settings)
  const { tags = DEFAULT_TAGS } = settings.openapi ?? {}

  /** How @fastify/swagger describes a route. */
  function transformTo (operation: Operation): SwaggerTransform {
    return ({ url, openapiObject }) => {
      if (!openapiObject) return { url, schema: { hide: true } } // Swagger 2
      const { components } = openapiObject as { readonly components: { securitySchemes?: object } }
      components.securitySchemes = { ...components.securitySchemes, ...schemes }
      return { url, schema: structuredClone({ tags, ...operation }) }
    }
  }

  return {
    handler: {
      GET: transformTo({ ...handlerGet, security: security.handlerGet }),
      POST: transformTo({ ...handlerPost, security: security.handlerPost })
    },
    action: (action: PageAction) => transformTo({ ...actionOf(action), security: security.action }),
    doctor: transformTo(doctor)
  }
}

const handlerGet: Operation = {
  summary: 'Download a document, or fetch a file for a page',
  description: [
    '`action=download`: the document server downloads a stored document, or an earlier version of it. It may ask for a range, and whether the document has changed.',
    '`action=proxy`: a page with an editor fetches a file of the document server, or of an origin that is allowed, as a response of this origin. The status is that of the other server.'
  ].join('\n\n'),
  querystring: schemas.queries.handlerGet,
  response: {
    200: { description: 'The document, or the file.', content: BINARY },
    206: { description: '`download`: the part of the document that the header `Range` asks for.', content: BINARY },
    302: nothing('`download`: the URL at which the storage serves the document.', {
      location: { type: 'string', format: 'uri', description: 'That URL.' }
    }),
    304: nothing('`download`: the document has not changed.'),
    400: text('There is no such action, or `url` is not an http(s) URL.'),
    401: text('The request has no credentials, or they have expired.'),
    403: text('The credentials are wrong, the application denies the request, or `url` may not be fetched.'),
    404: text('There is no such document or version.'),
    405: text('The action is one of another method.'),
    416: text('`download`: the document is shorter than the range.'),
    500: text('The application failed.'),
    502: text('`proxy`: the other server cannot be reached.'),
    504: text('`proxy`: the other server does not answer in time.')
  }
}

const handlerPost: Operation = {
  summary: 'Report an event of a document',
  description: [
    '`action=callback`: the document server tells who edits a document, and where to fetch what is to be saved. A save is stored before it is answered.',
    '`action=report`: a page with an editor tells that its document did not open. Such a request has no body and no content type.'
  ].join('\n\n'),
  querystring: schemas.queries.handlerPost,
  body: schemas.callback,
  response: {
    200: json(
      '`callback`: `{"error":0}` if it is accepted. `{"error":1}` if it is refused: the document server keeps the changes.',
      schemas.callbackAnswer
    ),
    204: nothing('`report`: noted.'),
    400: text('There is no such action, or the report is not as described.'),
    401: text('`report`: the request has no credentials, or they have expired.'),
    403: text('`report`: the credentials are wrong, or the application denies the request.'),
    405: text('The action is one of another method.'),
    429: text('`callback`: a rate limiter of the application refuses it. The document server tries again.'),
    503: text('`callback`: the application is overloaded. The document server tries again.')
  }
}

const doctor: Operation = {
  summary: 'Examine the set-up',
  description:
    'Whether the application and the document server reach each other, and whether secrets, clocks, URLs and the storage work. The report is a page for browsers, and JSON for others.',
  querystring: schemas.queries.doctor,
  response: {
    200: {
      description: 'The report.',
      content: { 'application/json': { schema: schemas.doctorReport }, 'text/html': { schema: { type: 'string' } } }
    },
    400: text('There is more than one `fileId`.'),
    403: text('`doctor.authorize` does not grant the request.')
  }
}

function actionOf ({ name, summary }: PageAction): Operation {
  const failure = (description: string) => json(description, schemas.actionError)
  return {
    summary,
    description: 'A page with an editor asks this for its document and its user, whom its token names.',
    body: schemas.bodies[name],
    response: {
      200: json('Done.', schemas.answers[name]),
      400: failure('The body is not that of the action.'),
      401: failure('The request has no credentials, or they have expired.'),
      403: failure('The credentials are wrong, or the page or the application does not allow this.'),
      404: failure('The document is not there any more.'),
      409: failure('The application refuses, or the document is being edited. A hook can refuse with any status from 400 to 499.'),
      413: failure('The file is too large.'),
      415: failure('The body is not JSON.'),
      500: failure('The application failed.')
    }
  }
}

function json (description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } }
}

function text (description: string): object {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } }
}

/** A response without a body. */
function nothing (description: string, headers?: Readonly<Record<string, object>>): object {
  return { description, type: 'null', ...(headers && { headers }) }
}

const apiKey = (place: 'header' | 'query', name: string, description: string) =>
  ({ type: 'apiKey', in: place, name, description })

const urlSignature = {
  editorUrlSignature: apiKey('query', 'signature', 'Signature of the URL, which the control of a document makes. It is for one action and one document.')
}
const proxyToken = {
  editorProxyToken: apiKey('header', 'x-editor-proxy-token', 'The `proxyToken` of a control: for the document of its page, until it expires.')
}
const pageToken = {
  editorPageToken: apiKey('header', 'x-editor-page-token', 'The `pageToken` of a control: for the document and the user of its page, until it expires.')
}

/** The credentials that the options require of the requests. `authorize` may grant others, but no callback. */
function securityOf ({ documentServer, proxy, requireToken, signedUrls }: Settings) {
  const signature = signedUrls ? urlSignature : {}
  const token = requireToken ? serverToken(documentServer) : {}
  const page = proxy.requireToken ? proxyToken : {}
  return {
    schemes: { ...signature, ...token, ...page, ...pageToken },
    security: {
      handlerGet: eitherOf(signedUrls ? signature : token, page),
      handlerPost: eitherOf({ ...signature, ...token }, page),
      action: [required(pageToken)]
    }
  }
}

function serverToken ({ authorizationHeader, authorizationPrefix }: Settings['documentServer']): object {
  const description =
    'A JSON Web Token of the document server, signed with `jwtSecret`. A callback may have it in its body instead.'
  const isBearer = authorizationHeader === 'authorization' && /^bearer $/i.test(authorizationPrefix)
  return {
    editorDocumentServer: isBearer
      ? { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }
      : apiKey('header', authorizationHeader, description)
  }
}

function required (schemes: object): Record<string, string[]> {
  return Object.fromEntries(Object.keys(schemes).map(name => [name, []]))
}

function eitherOf (first: object, second: object): Requirements {
  const [one, other] = [required(first), required(second)]
  return isDeepStrictEqual(one, other) ? [one] : [one, other]
}
