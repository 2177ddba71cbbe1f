// What tokens are for. Source: docs/document-server-protocol.md#purposes-of-tokens
import type { DocumentServerOptions } from '../../types/document-server.js'

type Fields = Readonly<Record<string, unknown>>

/** The operations that tokens of an application can name. */
export type Operation = 'command' | 'converter' | 'docbuilder'

/** The fields of which a request has at least one. A token without any is not one for this operation. */
const FIELDS: Readonly<Record<Operation, readonly string[]>> = {
  command: ['c'],
  converter: ['outputtype', 'outputType'],
  docbuilder: ['url', 'key', 'argument', 'async']
}
/** Of a configuration and of a callback. */
const FOREIGN = ['editorConfig', 'document', 'status']

export interface Purposes {
  /** Whether a token with these claims may be used for an operation. `isDemanded`: it must name the operation, whatever the setting is. */
  allows (operation: Operation, claims: Fields, fields: Fields, isDemanded?: boolean): boolean
  /** Whether a token with these claims may be used where no operation is known: by the editor, its methods and its downloads. */
  allowsElsewhere (claims: Fields): boolean
}

export function purposes (check: NonNullable<DocumentServerOptions['purposeCheck']>): Purposes {
  return {
    allows (operation, claims, fields, isDemanded = check === 'strict') {
      if (isDemanded && claims.operation !== operation) return false
      if (check === 'off') return true
      const isNamed = claims.operation === undefined || claims.operation === operation
      return isNamed && FIELDS[operation].some(name => name in fields) && !FOREIGN.some(name => name in fields)
    },
    allowsElsewhere: claims => check === 'off' || claims.operation === undefined
  }
}
