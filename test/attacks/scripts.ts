import type { FastifyInstance } from 'fastify'
import type { RequestListener } from 'node:http'
import type { AlwaysStopped, Run } from './attack.js'
import { startTarget, type Target } from './target.js'

const PAGE = '<!doctype html><html><script>steal(document.cookie)</script></html>'
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><script>steal(document.cookie)</script></svg>'
const NAME = '</script><script>steal(document.cookie)</script>.docx'

/** Whether a browser that opens an answer runs its script in the origin of the service: as a page, or taken for one. */
function runs (headers: Headers): boolean {
  const policies = (headers.get('content-security-policy') ?? '').split(/[;,]/).map(policy => policy.trim().toLowerCase())
  const sandbox = policies.find(policy => /^sandbox\b/.test(policy))
  const isSandboxed = sandbox !== undefined && !(sandbox.includes('allow-scripts') && sandbox.includes('allow-same-origin'))
  const isSaved = /^\s*attachment\b/i.test(headers.get('content-disposition') ?? '')
  const isPage = /\b(?:html|xml|svg)\b/i.test(headers.get('content-type') ?? '')
  const isTakenForPage = headers.get('x-content-type-options')?.toLowerCase() !== 'nosniff'
  return !isSandboxed && !isSaved && (isPage || isTakenForPage)
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

function opening (title: string, has: string, because: string, serve: RequestListener, urlOf: (target: Target) => Promise<string>): AlwaysStopped {
  const run: Run = async (t, options) => {
    const target = await startTarget(t, { ...options, serve })
    const response = await fetch(await urlOf(target))
    if (!(await response.text()).includes('steal')) throw new Error('the script did not arrive')
    return runs(response.headers)
  }
  return { title, has, because, run, control: (t, options) => run(t, { ...options, prepare: unprotected }) }
}

const throughProxy = async (target: Target) => target.handler({ action: 'proxy', url: `${target.documentServer.origin}/x` })
const FILE = 'a file at the document server; a victim who opens a link'

export const scripts: readonly AlwaysStopped[] = [
  opening('runs script in the service\'s origin: a page through the proxy', FILE, '`Content-Security-Policy: sandbox`', serving('text/html', PAGE), throughProxy),
  opening('runs script there: a drawing (SVG) through the proxy', FILE, '`Content-Security-Policy: sandbox`', serving('image/svg+xml', DRAWING), throughProxy),
  opening('runs script there: bytes without a type that a browser takes for a page', FILE, '`X-Content-Type-Options: nosniff`, sandbox', serving(undefined, PAGE), throughProxy),
  opening('runs script there: a stored page', 'an HTML document in the service; a victim who opens its link', 'an attachment, sandboxed', serving(undefined, ''), async target => {
    const { fileId } = await target.storage.create('html', Buffer.from(PAGE))
    return target.urls.download(fileId)
  }),
  {
    title: 'runs script in the page with the editor by a document\'s name',
    has: 'a document that the victim opens',
    because: '`<` is written as an escape in the page',
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
