// What tokens are for. Source: docs/document-server-protocol.md#purposes-of-tokens
import type { DocumentServerOptions } from '../../../types/document-server.js'

type Fields = Readonly<Record<string, unknown>>

/** The operations that tokens of an application can name. */
export type Operation = 'command' | 'converter' | 'docbuilder'

/**
 * Whether a token with these fields is one for an operation, whatever it says. The document server's own rules are not
 * documented.
 */
const HAS_SHAPE: Readonly<Record<Operation, (fields: Fields) => boolean>> = {
  command: fields => 'c' in fields,
  converter: fields => 'outputtype' in fields || 'outputType' in fields,
  docbuilder: fields =>
    ['url', 'key', 'argument', 'async'].some(name => name in fields) &&
    !['c', 'document', 'editorConfig', 'outputtype', 'outputType', 'status'].some(name => name in fields)
}

export type Purposes = ReturnType<typeof purposes>

export function purposes (check: NonNullable<DocumentServerOptions['purposeCheck']>) {
  return {
    /**
     * Whether a token with these claims may be used for an operation. `isDemanded`: it must name the operation,
     * whatever the setting is.
     */
    allows (operation: Operation, claims: Fields, fields: Fields, isDemanded = check === 'strict'): boolean {
      if (isDemanded && claims.operation !== operation) return false
      if (check === 'off') return true
      const isNamed = claims.operation === undefined || claims.operation === operation
      return isNamed && HAS_SHAPE[operation](fields)
    },
    /**
     * Whether a token with these claims may be used where no operation is known: by the editor, its methods and its
     * downloads.
     */
    allowsElsewhere: (claims: Fields) => check === 'off' || claims.operation === undefined
  }
}
