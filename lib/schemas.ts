import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'

export const Action = Type.Union([Type.Literal('callback'), Type.Literal('download'), Type.Literal('proxy')])
export type Action = Static<typeof Action>

/** The handler's query. A parameter that is repeated, or made an object by the host's parser, is invalid. */
export const HandlerQuery = Type.Object({
  action: Action,
  fileId: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
  url: Type.Optional(Type.String())
})
export type HandlerQuery = Static<typeof HandlerQuery>

const queryValidator = Compile(HandlerQuery)

export function isHandlerQuery (query: unknown): query is HandlerQuery {
  return queryValidator.Check(query)
}

/** What must hold of a callback for it to be acted on. Source: the specification's callback payload. */
export const CallbackPayload = Type.Object({
  status: Type.Integer(),
  url: Type.Optional(Type.Union([Type.String(), Type.Null()]))
})
export type CallbackPayload = Static<typeof CallbackPayload>
