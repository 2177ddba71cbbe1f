import { type TObject, type TSchema, Type } from 'typebox'
import { answersWith, bodies } from '../actions/requests.schema.js'
import { CallbackPayload, HandlerQuery, optionalFields } from '../handler/request.schema.js'

// For API documentation: what is checked at run time, with descriptions, and what is answered.

type Parameter = keyof typeof HandlerQuery.properties

/** Parameters of the handler, with their descriptions. */
function parameters<Name extends Parameter> (action: TSchema, descriptions: Readonly<Record<Name, string>>): TObject {
  const others = Object.entries<string>(descriptions).map((
    [name, description]
  ) => [name, { ...HandlerQuery.properties[name as Name], description }])
  return Type.Object({ action, ...Object.fromEntries(others) }, { required: ['action'] })
}

const FileId = 'The document.'

const queries = {
  handlerGet: parameters(Type.Enum(['download', 'proxy'], { type: 'string', description: 'What is wanted.' }), {
    fileId: FileId,
    expires: '`download`: seconds since the epoch, after which the URL is not valid any more.',
    signature: '`download`: signature of the URL.',
    version: '`download`: an earlier version, by its number.',
    part: '`download`, with `version`: `content`, or `changes` for the data of the changes that led to it.',
    url: '`proxy`: the http(s) URL to fetch.'
  }),
  handlerPost: parameters(Type.Enum(['callback', 'report'], { type: 'string', description: 'What is sent.' }), {
    fileId: FileId,
    key: '`callback`: the only document key that the URL is for.',
    signature: '`callback`: signature of the URL.',
    code: '`report`: `slow`, `no-frame`, or the error code of the editor.'
  }),
  doctor: Type.Object({
    fileId: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Also explain why this document does not open or is not saved.' })
    ),
    format: Type.Optional(
      Type.Enum(['json'], { type: 'string', description: 'JSON, whatever the header `Accept` prefers.' })
    )
  })
}

const callback = Type.Object({
  ...Type.Partial(Type.Object(optionalFields)).properties,
  ...CallbackPayload.properties,
  token: Type.Optional(Type.String({ description: 'A JSON Web Token with all other fields, signed with `jwtSecret`.' }))
}, { description: '`callback`: the event, as the document server sends it. `report`: there must be no body.' })

/** Of every answer. */
const tokens = {
  pageToken: Type.String({ description: 'For the next requests of the page.' }),
  proxyToken: Type.String({ description: 'For the action `proxy`.' })
}

const callbackAnswer = Type.Object({ error: Type.Enum([0, 1], { type: 'integer' }) })

const actionError = Type.Object({
  code: Type.String({ description: 'Such as `FST_EDITOR_FORBIDDEN`.' }),
  message: Type.String()
})

const doctorReport = Type.Object({
  healthy: Type.Boolean({ description: 'Whether no finding is an `error`, and every check has finished in time.' }),
  findings: Type.Array(Type.Object({
    code: Type.String(),
    status: Type.Enum(['ok', 'warning', 'error', 'skipped'], { type: 'string' }),
    title: Type.String(),
    evidence: Type.String({ description: 'What was seen.' }),
    remedy: Type.Optional(Type.String({ description: 'How to fix it.' }))
  })),
  startedAt: Type.String({ format: 'date-time' }),
  duration: Type.Number({ description: 'Milliseconds.' })
})

/** As JSON, in which patterns are strings. */
export const schemas: object = JSON.parse(JSON.stringify(
  { queries, callback, callbackAnswer, bodies, answers: answersWith(tokens), actionError, doctorReport },
  (_name, value) => value instanceof RegExp ? value.source : value
))
