import { isDeepStrictEqual } from 'node:util'
import { documentServerError } from '../../errors.js'
import type { Tokens } from './tokens.js'
import type { EditorConfig, UserConfig } from '../../../types/document-server.js'

/** A configuration with a valid token, or one that needs none. Signed values have replaced unsigned ones. */
export type TrustedConfig = ReturnType<typeof trustedConfig>

type Permissions = Readonly<Partial<Record<'edit' | 'comment' | 'review' | 'fillForms' | 'download', unknown>>>

const DENIED = 4004
const EXPIRED = 4005
const BAD_TOKEN = 4006
const DROPPED = 4007

const KEY = /^[0-9A-Za-z._=-]{1,255}$/

/**
 * Checks a configuration as the document server does. Throws a `DocumentServerError` with the code that the editor
 * shows.
 */
export function trustedConfig (config: EditorConfig, tokens: Tokens) {
  const claims = tokens.areRequiredOfEditors
    ? verified(config.token, tokens) as EditorConfig & Record<string, unknown>
    : {}
  if (!isKey(config.document?.key ?? 'none')) throw denied()
  if (tokens.areRequiredOfEditors) requireSigned(config, claims)

  const document = { ...config.document, ...claims.document }
  const editor = { ...config.editorConfig, ...claims.editorConfig }
  if (!isKey(document.key)) throw denied()
  const key = String(document.key)
  const callbackUrl = editor.callbackUrl || null
  // A relative URL is accepted, and no callback arrives. Source: observed.
  if (callbackUrl !== null && URL.canParse(callbackUrl) && !/^https?:\/\//i.test(callbackUrl)) {
    throw documentServerError(DROPPED, 'drop')
  }
  const permissions: Permissions = document.permissions ?? {}
  return {
    key,
    url: document.url!,
    title: document.title ?? key,
    fileType: (document.fileType ?? '').toLowerCase(),
    callbackUrl,
    viewOnly: !mayEdit(permissions) || config.editorConfig?.mode === 'view' ||
      claims.editorConfig?.mode === 'view',
    /** Who may only comment or fill in forms changes neither texts nor cells. */
    mayWrite: permissions.edit !== false || permissions.review === true,
    /** May take files of the document out of the editor. */
    mayDownload: permissions.download !== false,
    lang: editor.lang ?? 'en',
    /** How a csv or txt file is read. */
    options: Object(document.options ?? {}) as Record<string, unknown>,
    user: userOf(config.editorConfig?.user ?? {}, claims.editorConfig?.user ?? {}, editor.lang)
  }
}

/** A user who may comment, review or fill in forms is an editor, too. Source: observed. */
function mayEdit ({ edit, comment, review, fillForms }: Permissions): boolean {
  return edit !== false || comment === true || review === true || fillForms === true
}

/** Signed values come first. An empty id is kept; without an id the editor creates one. */
function userOf (given: UserConfig, signed: UserConfig, lang = ''): { readonly id: string | null, readonly name: string } {
  const id = signed.id || given.id
  const first = signed.firstname || given.firstname
  const last = signed.lastname || given.lastname
  const name = signed.name || given.name
  const group = signed.group || given.group
  const inGroup = name && group ? `${group}\u00a0${name}` : name
  const fullName = first && last ? (lang.startsWith('ru') ? `${last} ${first}` : `${first} ${last}`) : inGroup
  return { id: id === undefined || id === null ? null : String(id), name: fullName || 'Anonymous' }
}

/** The claims of a configuration's token. Throws a `DocumentServerError` with the code that the editor shows. */
function verified (token: unknown, tokens: Tokens): Record<string, unknown> {
  if (!token) throw documentServerError(BAD_TOKEN, 'token:jwt must be provided')
  const result = tokens.verify(String(token))
  if ('claims' in result) {
    if (!tokens.purposes.allowsElsewhere(result.claims)) throw documentServerError(BAD_TOKEN, 'token:operation')
    return result.claims
  }
  switch (result.rejected) {
    case 'expired': throw documentServerError(EXPIRED, 'token:jwt expired')
    case 'malformed': throw documentServerError(BAD_TOKEN, 'token:jwt malformed')
    case 'not active': throw documentServerError(null, 'token:jwt not active')
    default: throw documentServerError(BAD_TOKEN, `token:${result.rejected}`)
  }
}

/** The token must sign everything that decides what is opened and where callbacks go. */
function requireSigned (config: EditorConfig, claims: EditorConfig & Record<string, unknown>): void {
  const { document, editorConfig } = claims
  const { callbackUrl, mode } = config.editorConfig ?? {}
  const complete = Boolean(document?.key) && isNonEmptyString(document?.url) &&
    (!callbackUrl || isNonEmptyString(editorConfig?.callbackUrl)) &&
    (!mode || mode === 'view' || isNonEmptyString(editorConfig?.mode)) &&
    (!config.document?.permissions || Boolean(document?.permissions))
  if (!complete) throw documentServerError(BAD_TOKEN, 'token:')

  const permitted = !document?.permissions || isDeepStrictEqual(config.document?.permissions, document.permissions)
  const foreign = Boolean(claims.url || claims.key || claims.payload)
  if (!permitted || foreign) throw denied()
}

/** Numbers are accepted. Source: observed. */
function isKey (key: unknown): boolean {
  return (typeof key === 'string' || typeof key === 'number') && KEY.test(String(key))
}

function denied (): Error {
  return documentServerError(DENIED, 'access deny')
}

function isNonEmptyString (value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
