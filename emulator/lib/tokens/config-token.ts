import { isDeepStrictEqual } from 'node:util'
import { documentServerError } from '../errors.js'
import type { Tokens } from './tokens.js'
import type { EditorConfig } from '../../types/document-server.js'

/** A configuration whose token was good: what the token signs has replaced what the page said. */
export interface TrustedConfig {
  readonly key: string
  readonly url: string
  readonly title: string
  readonly fileType: string
  readonly callbackUrl: string | null
  readonly viewOnly: boolean
  readonly lang: string
  readonly user: { readonly id: string | null, readonly name: string }
}

const DENIED = 4004
const EXPIRED = 4005
const BAD_TOKEN = 4006
const BAD_KEY = -82

const MAX_USER_ID = 128

/** Checks a configuration as the document server does. Throws a `DocumentServerError` with the code an editor is shown. */
export function trustedConfig (config: EditorConfig, tokens: Tokens): TrustedConfig {
  const claims = verified(config.token, tokens) as EditorConfig & Record<string, unknown>
  requireSigned(config, claims)

  const document = { ...config.document, ...claims.document }
  const editor = { ...config.editorConfig, ...claims.editorConfig }
  const key = document.key!
  if (!/^[0-9A-Za-z._=-]{1,128}$/.test(key)) {
    throw documentServerError(BAD_KEY, 'document.key must be 1 to 128 characters of 0-9 A-Z a-z . _ = -')
  }
  const { edit } = (document.permissions ?? {}) as { edit?: boolean }
  return {
    key,
    url: document.url!,
    title: document.title ?? key,
    fileType: (document.fileType ?? '').toLowerCase(),
    callbackUrl: editor.callbackUrl || null,
    viewOnly: edit === false || config.editorConfig?.mode === 'view' || claims.editorConfig?.mode === 'view',
    lang: editor.lang ?? 'en',
    user: { id: editor.user?.id?.slice(0, MAX_USER_ID) ?? null, name: editor.user?.name ?? 'Anonymous' }
  }
}

function verified (token: string | undefined, tokens: Tokens): Record<string, unknown> {
  if (!token) throw documentServerError(BAD_TOKEN, 'token:jwt must be provided')
  const result = tokens.verify(token)
  if ('claims' in result) return result.claims
  switch (result.rejected) {
    case 'expired': throw documentServerError(EXPIRED, 'token:jwt expired')
    case 'malformed': throw documentServerError(BAD_TOKEN, 'token:jwt malformed')
    case 'invalid signature': throw documentServerError(BAD_TOKEN, 'token:invalid signature')
  }
}

/** The token must sign everything of the configuration that decides what is opened and who is told. */
function requireSigned (config: EditorConfig, claims: EditorConfig & Record<string, unknown>): void {
  const { document, editorConfig } = claims
  const complete = isText(document?.key) && isText(document?.url) &&
    (config.editorConfig?.callbackUrl === undefined || isText(editorConfig?.callbackUrl)) &&
    (config.editorConfig?.mode === undefined || isText(editorConfig?.mode)) &&
    (config.document?.permissions === undefined || document?.permissions !== undefined)
  if (!complete) throw documentServerError(BAD_TOKEN, 'token:')

  const permitted = document?.permissions === undefined || isDeepStrictEqual(config.document?.permissions, document.permissions)
  const foreign = 'url' in claims || 'key' in claims || 'payload' in claims
  if (!permitted || foreign) throw documentServerError(DENIED, 'access deny')
}

function isText (value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
