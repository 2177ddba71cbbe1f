import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { EditorOptions } from '../../../lib/index.js'
import { answerWith, exchangeGet, startUpstream } from '../../kit/http.js'
import type { AlwaysStopped, Attack, Run, StoppedByOptions } from './attack.js'
import { startTarget, type Target } from './target.js'

const PAGE = '<!doctype html><html><script>steal(document.cookie)</script></html>'
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><script>steal(document.cookie)</script></svg>'
const SCRIPT = 'steal(document.cookie)'
const NAME = '</script><script>steal(document.cookie)</script>.docx'

/** Whether a browser that opens an answer runs its script in the origin of the service: as a page, or taken for one. */
function runs (headers: Headers): boolean {
  const policies = (headers.get('content-security-policy') ?? '').split(/[;,]/).map(policy => policy.trim().toLowerCase())
  const sandbox = policies.find(policy => /^sandbox\b/.test(policy))
  const isSandboxed = sandbox !== undefined && !(sandbox.includes('allow-scripts') && sandbox.includes('allow-same-origin'))
  return !isSandboxed && isShown(headers)
}

/**
 * Whether a browser takes it for the script of a page of the same origin. Source: HTML and Fetch standards, "should
 * response be blocked due to nosniff".
 */
function isScript (headers: Headers): boolean {
  const type = headers.get('content-type') ?? ''
  return /^\w+\/(?:x-)?(?:java|ecma)script\b/i.test(type) || (!isPlain(headers) && !/^(?:image|audio|video)\/|^text\/csv\b/i.test(type))
}

/** Whether a browser shows it as a page, script or not. */
function isShown (headers: Headers): boolean {
  return !/^\s*attachment\b/i.test(headers.get('content-disposition') ?? '') &&
    (/\b(?:html|xml|svg)\b/i.test(headers.get('content-type') ?? '') || !isPlain(headers))
}

/** Whether it is what its type says, whatever it looks like. */
function isPlain (headers: Headers): boolean {
  return headers.get('x-content-type-options')?.toLowerCase() === 'nosniff'
}

/** A host that takes away what protects. */
function unprotected (app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply) => {
    for (const name of ['content-security-policy', 'content-disposition', 'x-content-type-options']) reply.removeHeader(name)
  })
}

function serving (type: string | undefined, body: string): RequestListener {
  return (_request, response) => { response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body) }
}

/** A host that knows its users by itself, so that a mere link reaches the proxy. */
export const letsIn: Pick<EditorOptions, 'authorize'> = { authorize: (_request, { action }) => action === 'proxy' ? 'grant' : undefined }

type Verdict = (headers: Headers) => boolean

function opening (
  title: string,
  has: string,
  because: string,
  serve: RequestListener,
  urlOf: (target: Target) => Promise<string>,
  succeeds: Verdict = runs
): AlwaysStopped {
  const run: Run = async (t, options) => {
    const target = await startTarget(t, { ...options, ...letsIn, serve })
    const response = await fetch(await urlOf(target))
    if (!(await response.text()).includes('steal')) throw new Error('the script did not arrive')
    return succeeds(response.headers)
  }
  return { title, has, because, run, control: (t, options) => run(t, { ...options, prepare: unprotected }) }
}

const stored = (extension: string, content: string) => async (target: Target) => {
  const { fileId } = await target.storage.create(extension, Buffer.from(content))
  return target.urls.download(fileId)
}

const throughProxy = async (target: Target) => target.handler({ action: 'proxy', url: `${target.documentServer.origin}/cache/files/x` })
const FILE = 'a file at the document server; a victim who opens a link and whom authorize grants it without a token'

const INJECTION = 'a page of the service in which they can place a script element, with `script-src \'self\'`'
const NOTHING = serving(undefined, '')

const scriptOfOtherServer: StoppedByOptions = {
  title: 'has a script from their own server run in a page that trusts its own origin, through the proxy',
  has: INJECTION,
  stoppedBy: {
    'proxy.requireToken': 'a script element sends no token header',
    'proxy.crossOrigin': 'the browser\'s fetch metadata says it is a script',
    'proxy.allow': 'only result files of the document server are allowed'
  },
  async run (t, options) {
    const evil = await startUpstream(t, answerWith(SCRIPT, 200, { 'content-type': 'text/javascript' }))
    // It is on loopback, where it plays a server of the outside.
    const target = await startTarget(t, { allowPrivateAddresses: true, ...options })
    const { pathname, search } = new URL(target.handler({ action: 'proxy', url: `${evil.origin}/x.js` }))
    const answer = await exchangeGet(t, target.origin, pathname + search, {
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'no-cors',
      'Sec-Fetch-Dest': 'script'
    })
    return /^HTTP\/1\.1 200 /.test(answer) && answer.includes(SCRIPT) && isScript(headersOf(answer))
  }
}

const MIXED = ['--x', 'Content-Type: text/html', 'Set-Cookie: session=of-the-attacker; Path=/', '', PAGE, '--x--', ''].join('\r\n')

/** Whether a browser takes what comes for several answers, each with headers of its own. */
const hasParts: Verdict = headers => /^\s*multipart\//i.test(headers.get('content-type') ?? '')

const mixed: AlwaysStopped = {
  title: 'gives the parts of a proxied answer their own headers (multipart/x-mixed-replace)',
  has: FILE,
  because: 'a multipart answer is forwarded as application/octet-stream',
  async run (t, options) {
    const target = await startTarget(t, { ...options, ...letsIn, serve: serving('multipart/x-mixed-replace; boundary=x', MIXED) })
    const response = await fetch(await throughProxy(target))
    if (await response.text() !== MIXED) throw new Error('the answer did not arrive')
    return hasParts(response.headers)
  },
  async control (t) {
    const { origin } = await startUpstream(t, serving('multipart/x-mixed-replace; boundary=x', MIXED))
    const response = await fetch(origin)
    return await response.text() === MIXED && hasParts(response.headers)
  }
}

function headersOf (answer: string): Headers {
  const [, ...lines] = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n')
  return new Headers(lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}

export const scripts: readonly Attack[] = [
  opening(
    'runs script in the service\'s origin with a proxied HTML page',
    FILE,
    '`Content-Security-Policy: sandbox`',
    serving('text/html', PAGE),
    throughProxy
  ),
  opening(
    'runs script in the service\'s origin with a proxied SVG',
    FILE,
    '`Content-Security-Policy: sandbox`',
    serving('image/svg+xml', DRAWING),
    throughProxy
  ),
  opening(
    'runs script in the service\'s origin with bytes without a type that a browser treats as HTML',
    FILE,
    '`X-Content-Type-Options: nosniff`, sandbox',
    serving(undefined, PAGE),
    throughProxy
  ),
  opening(
    'runs script in the service\'s origin with a stored HTML document',
    'an HTML document in the service; a victim who opens its link',
    'an attachment, sandboxed',
    NOTHING,
    stored('html', PAGE)
  ),
  opening(
    'shows a stored HTML document under the service\'s URL, to ask for a password',
    'an HTML document in the service; a victim who opens its link',
    'a download is an attachment',
    NOTHING,
    stored('html', PAGE),
    isShown
  ),
  opening(
    'has stored text run as a script in a page that trusts its own origin (CSP bypass)',
    INJECTION,
    '`X-Content-Type-Options: nosniff`',
    NOTHING,
    stored('txt', SCRIPT),
    isScript
  ),
  scriptOfOtherServer,
  mixed,
  {
    title: 'runs script in the page with the editor through a document\'s name',
    has: 'a document that the victim opens',
    because: '`<` is escaped in the page',
    async run (t, options) {
      const target = await startTarget(t, options)
      const control = await target.app.editorControl().openDocument(target.own, { name: NAME })
      return control.render().includes('<script>steal')
    },
    async control (t, options) {
      const target = await startTarget(t, options)
      const { config } = await target.app.editorControl().openDocument(target.own, { name: NAME })
      return `<script type="application/json">${JSON.stringify(config)}</script>`.includes('<script>steal')
    }
  }
]
