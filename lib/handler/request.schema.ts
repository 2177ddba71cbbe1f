import { Type, type Static } from 'typebox'

const Action = Type.Union([
  Type.Literal('callback'),
  Type.Literal('download'),
  Type.Literal('proxy'),
  Type.Literal('report')
])
export type Action = Static<typeof Action>

/**
 * The handler's query. A parameter that is repeated, or parsed to an object by the application's parser, is invalid.
 */
export const HandlerQuery = Type.Object({
  action: Action,
  fileId: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  key: Type.Optional(Type.String()),
  signature: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  part: Type.Optional(Type.String())
})
export type HandlerQuery = Static<typeof HandlerQuery>
