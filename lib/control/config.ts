import type { EditorControlDefaults, SignedConfig } from '../../types/control.js'
import { documentTypeOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'

/** The fields of a configuration that depend on the document. */
export interface DocumentFields {
  readonly name: string
  readonly key: string
  readonly url: string
  readonly callbackUrl: string
  /** Of the stored bytes; that of the name may differ. */
  readonly extension: string
  /** How the editor opens it. */
  readonly options?: Record<string, unknown> | undefined
}

/**
 * The editor's configuration with its token, whose payload is that configuration: the document server compares the two.
 * Source: docs/document-server-protocol.md#the-configuration-and-its-token
 */
export function signedConfig (
  document: DocumentFields,
  defaults: EditorControlDefaults,
  tokens: TokenSigner
): SignedConfig {
  const config = unsignedConfig(document, defaults)
  return { ...config, token: tokens.sign(config) }
}

function unsignedConfig (
  { name, key, url, callbackUrl, extension, options }: DocumentFields,
  defaults: EditorControlDefaults
) {
  const {
    type,
    width = '100%',
    height = '100%',
    history,
    document,
    permissions,
    info,
    referenceData,
    ...editorFields
  } = defaults
  return {
    ...(type && { type }),
    width,
    height,
    documentType: documentTypeOf(extension),
    document: {
      ...(options && { options }),
      ...document,
      ...(permissions && { permissions }),
      ...(info && { info }),
      ...(referenceData && { referenceData }),
      fileType: extension,
      key,
      title: name,
      url
    },
    editorConfig: {
      mode: 'edit',
      ...editorFields,
      ...(callbackUrl && { callbackUrl })
    }
    // JSON omits undefined fields, here and in the token.
  } as Omit<SignedConfig, 'token'>
}
