import { type Static, Type } from 'typebox'

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Nothing nested: such data would be nobody's answers. */
export const FormData = Type.Array(Type.Object({}, {
  additionalProperties: Type.Union([Scalar, Type.Array(Scalar)])
}))
export type FormData = Static<typeof FormData>
