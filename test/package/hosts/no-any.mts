// Nothing that the packages export is `any`, which a type that the compiler cannot resolve would become.
import * as plugin from 'fastify-onlyoffice'
import * as browser from 'fastify-onlyoffice/browser'
import * as element from 'fastify-onlyoffice/browser/document-editor'
import * as testing from 'fastify-onlyoffice/conformance'
import * as emulator from 'onlyoffice-emulator'

type IsAny<Type> = 0 extends 1 & Type ? true : false

/** Names of exports that are `any`, or classes whose instances are. */
type AnyOf<Exports> = {
  [Name in keyof Exports]:
  IsAny<Exports[Name]> extends true
    ? Name
    : Exports[Name] extends abstract new (...args: never) => infer Instance ? IsAny<Instance> extends true ? Name : never : never
}[keyof Exports]

// Proves that AnyOf finds what it looks for.
export const found = { any: true, AnyClass: true } satisfies Record<AnyOf<{ any: any, AnyClass: new () => any, Sound: new () => Date, sound: string }>, true>

type None<Names> = [Names] extends [never] ? true : Names

export const none: readonly true[] = [
  true satisfies None<AnyOf<typeof plugin>>,
  true satisfies None<AnyOf<typeof browser>>,
  true satisfies None<AnyOf<typeof element>>,
  true satisfies None<AnyOf<typeof testing>>,
  true satisfies None<AnyOf<typeof emulator>>
]
