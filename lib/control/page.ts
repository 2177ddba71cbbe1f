import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EditorControlDefaults, RenderOptions, SignedConfig } from '../../types/control.js'
import { type EditorMessages, englishMessages } from '../../types/messages.js'
import { documentTypeOf } from '../document-server/formats.js'
import type { TokenSigner } from '../document-server/token.js'
import { NoDocumentError } from '../errors.js'
import { escapeHtml } from '../util/text.js'
import { withoutUndefined } from '../util/validate.js'

/** The fields of a configuration that depend on the document. */
interface DocumentFields {
  readonly title: string
  readonly key: string
  readonly url: string
  readonly callbackUrl: string
  /** Of the stored bytes; that of the name may differ. */
  readonly fileType: string
  /** How the editor opens it. */
  readonly options?: Record<string, unknown> | undefined
}

/**
 * The editor's configuration with its token, whose payload is that configuration: the document server compares the two.
 * Source: emulator/docs/document-server-protocol.md#the-configuration-and-its-token
 */
export function signedConfig (
  { title, key, url, callbackUrl, fileType, options }: DocumentFields, defaults: EditorControlDefaults,
  tokens: TokenSigner, now: number
): SignedConfig {
  const {
    type, width = '100%', height = '100%', history, preset, document, permissions, info, referenceData, ...editorFields
  } = defaults
  const config = {
    ...(type && { type }),
    width,
    height,
    documentType: documentTypeOf(fileType),
    document: {
      ...(options && { options }),
      ...document,
      ...(preset && {
        options: { ...options, watermark_on_draw: watermarkOf(defaults.user, now), ...document?.options }
      }),
      ...(permissions && { permissions }),
      ...(info && { info }),
      ...(referenceData && { referenceData }),
      fileType,
      key,
      title,
      url
    },
    editorConfig: { mode: 'edit', ...editorFields, ...(callbackUrl && { callbackUrl }) }
    // JSON omits undefined fields, here and in the token.
  } as Omit<SignedConfig, 'token'>
  return { ...config, token: tokens.sign(config) }
}

/**
 * The user and the time, grey across each page. Source:
 * https://api.onlyoffice.com/docs/docs-api/samples/automation-api/working-with-watermark
 */
function watermarkOf (user: EditorControlDefaults['user'], now: number) {
  const time = `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const lines = [user?.name ?? user?.id ?? '', time].filter(line => line !== '')
  return {
    type: 'rect',
    width: 160, // mm
    height: 60,
    rotate: -45,
    transparent: 0.3,
    fill: [],
    stroke: [],
    align: 1,
    paragraphs: lines.map(text => ({ align: 2, runs: [{ text, fill: [128, 128, 128], 'font-size': 28 }] }))
  }
}

export interface PageUrls {
  /** The document server's api.js. */
  readonly editorApiUrl: Readonly<URL>
  /** Path of the handler. */
  readonly handlerPath: () => string
  /** Path of the module that mounts the editor. */
  readonly modulePath: () => string
}

const LANGUAGES: ReadonlySet<string> = new Set([
  'ar', 'bn', 'de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'ko', 'pl', 'pt', 'ru', 'tr', 'zh'
])
type Texts = Readonly<Record<keyof EditorMessages, string>>
const translations = new Map<string, Texts>([['en', englishMessages]])

/** The page's texts in one of these languages. Read when they are first needed. */
function textsIn (language: string): Texts {
  const known = translations.get(language)
  if (known) return known
  const texts = JSON.parse(readFileSync(new URL(`./languages/${language}.json`, import.meta.url), 'utf8')) as Texts
  translations.set(language, texts)
  return texts
}

/** The language of the page's texts for the editor's, such as `pt-BR`: `pt`. For any other language, English. */
function languageOf (lang: string): string {
  const language = lang.toLowerCase().replace(/[-_].*/s, '')
  return LANGUAGES.has(language) ? language : 'en'
}

interface PageContent extends Pick<RenderOptions, 'closeUrl' | 'events' | 'messages' | 'nonce'> {
  /** `''` if none is given. */
  readonly lang: string
  readonly configJson: string
  /** `''` when the page shows no stored file. */
  readonly fileId: string
  readonly proxyToken: string
  /** `''` when the page cannot ask for anything. */
  readonly pageToken: string
  /** Milliseconds after which the page renews its token. */
  readonly renewAfter: number
  /** Why the document opens for viewing only; `''` without a reason. */
  readonly lockReason: string | null
  /** Names of what the page can ask for, besides configurations. */
  readonly actions: readonly string[]
}

/** Values of Link headers: what a page with a document needs first. */
export function linksOf (urls: PageUrls): string[] {
  const links = [...documentServerLinks(urls), { href: urls.modulePath(), rel: 'modulepreload' }]
  return links.map(({ href, ...parameters }) =>
    [`<${href}>`, ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`)].join('; ')
  )
}

/** Attributes of `link` elements. As by the script element that the module makes, api.js is requested without CORS. */
function documentServerLinks (
  { editorApiUrl }: PageUrls
): Array<Readonly<Record<string, string>> & { readonly href: string }> {
  return [
    { href: editorApiUrl.origin, rel: 'preconnect' },
    { href: editorApiUrl.href, rel: 'preload', as: 'script' }
  ]
}

/**
 * Media type of the output of `control.render()`, for a route that `<document-editor src>` fetches from. The element
 * accepts no other type, and uploads are never sent with this one.
 * @example
 * ```js
 * app.get('/documents/report/editor', async (_request, reply) => {
 *   const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
 *   return reply.type(fragmentType).header('cache-control', 'no-store').send(control.render())
 * })
 * ```
 */
export const fragmentType = 'text/vnd.fastify-onlyoffice.fragment+html'

/** The HTML that becomes the editor. It contains data and no inline script, for pages with a strict CSP. */
export function renderFragment (
  {
    configJson, fileId, proxyToken, pageToken, renewAfter, lockReason, actions, events, closeUrl, lang, messages, nonce
  }: PageContent,
  urls: PageUrls
): string {
  const { editorApiUrl, handlerPath, modulePath } = urls
  const id = `onlyoffice-editor-${randomUUID()}`
  const language = languageOf(lang)
  const texts: Texts = { ...textsIn(language), ...withoutUndefined(messages) }
  const ofScripts = withoutUndefined({ nonce })
  const data = {
    api: editorApiUrl.href,
    handler: handlerPath(),
    'file-id': fileId,
    'proxy-token': proxyToken,
    ...(pageToken && { 'page-token': pageToken, 'renew-after': String(renewAfter), actions: actions.join(' ') }),
    ...(lockReason !== null && { 'lock-reason': lockReason }),
    ...(events && { events: events.join(' ') }),
    ...(closeUrl !== undefined && { 'close-url': closeUrl }),
    messages: inertJson(JSON.stringify(texts))
  }
  const ofDocument = Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]))
  const hasDocument = configJson !== 'null'
  const links = hasDocument
    ? documentServerLinks(urls).map(link => `<link${attributesOf({ ...link, ...link.as && ofScripts })}>\n`).join('')
    : ''
  const ofTexts = attributesOf(language === 'en' ? {} : { lang: language })
  return `<div class="onlyoffice-editor" data-onlyoffice-editor${ofTexts}${attributesOf(ofDocument)}>
<script type="application/json">${inertJson(configJson)}</script>
<div id="${id}">${hasDocument ? withoutModule(texts) : withoutDocument(texts)}</div>
</div>
${links}<script type="module"${attributesOf({ src: modulePath(), ...ofScripts })}></script>`
}

/**
 * For a page whose module does not load: the module removes it. An SVG animation delays it, so that it does not flash
 * meanwhile: a policy may forbid style sheets.
 */
function withoutModule ({ unreachable, unreachableAdvice }: Texts): string {
  return `<svg width="100%" height="240"><g visibility="hidden"><set attributeName="visibility" to="visible" begin="10s"/>
<foreignObject width="100%" height="100%">${paragraphs(unreachable, unreachableAdvice)}</foreignObject></g></svg>`
}

function withoutDocument ({ failed, failedAdvice }: Texts): string {
  return paragraphs(failed, failedAdvice, new NoDocumentError().message)
}

function paragraphs (...texts: readonly string[]): string {
  return texts.map(text => `<p dir="auto">${escapeHtml(text)}</p>`).join('')
}

/** A page with nothing but the editor. Attributes of `body` set its margin: a policy may forbid style elements. */
export function renderPage (
  fragment: string, { title, lang }: { readonly title: string, readonly lang: string }
): string {
  return `<!doctype html>
<html${attributesOf({ lang })}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<body marginwidth="0" marginheight="0">
${fragment}`
}

function attributesOf (values: Readonly<Record<string, string>>): string {
  return Object.entries(values).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('')
}

/** JSON without characters that could end the script element or start a comment, and in ASCII. */
function inertJson (json: string): string {
  return json.replace(/[<>&]|[^ -~]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
