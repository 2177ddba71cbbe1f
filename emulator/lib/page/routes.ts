import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Editable } from '../documents/types.js'
import type { Editing, PageEditor } from '../editing.js'
import { API_PATH } from '../url.js'

/** Of the layouts for a desktop and for a phone. */
const EDITOR_PATHS = ['/web-apps/apps/documenteditor/main/', '/web-apps/apps/documenteditor/mobile/']

const PDF = 'application/pdf'

const BROWSER_FILES = new URL('./browser/', import.meta.url)
/** Modules that the page shares with the document server. Relative to the page, path and URL are the same. */
const TEXT_FILES = new URL('../text/', import.meta.url)
const TEXT_PATH = '/web-apps/apps/text/'

/** @param script the only one in the page itself */
const contentSecurityPolicy = (script: string) => [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "frame-src 'self'", // for PDF
  "base-uri 'none'",
  "form-action 'none'"
].join('; ')

/** Followed by the path of a PDF among the result files. */
const INLINE_PDF_PATH = '/doc/shown'

/** The script that applications embed, the editor page in its frame, and the PDF files that the page shows. */
export async function pageRoutes (app: FastifyInstance, published: Editing['published']): Promise<void> {
  const importMap = await readImportMap()
  const policy = contentSecurityPolicy(importMap)
  const setHeaders: FastifyStaticOptions['setHeaders'] = (reply, path) => {
    if (path.endsWith('api.js')) return
    reply.header('Content-Security-Policy', policy)
    reply.header('X-Content-Type-Options', 'nosniff')
  }
  const { imports } = JSON.parse(importMap) as { readonly imports: Record<string, string> }
  // The build copies these files beside the page.
  const fromPackages = Object.entries(imports).filter(([, path]) => !existsSync(new URL(path, BROWSER_FILES)))
  for (const [index, prefix] of EDITOR_PATHS.entries()) {
    for (const [name, path] of fromPackages) {
      const file = moduleFile(name)
      app.get(new URL(path, `http://page${prefix}`).pathname, async (_request, reply) => await reply.sendFile(basename(file), dirname(file)))
    }
    await app.register(fastifyStatic, {
      root: fileURLToPath(BROWSER_FILES),
      prefix,
      decorateReply: index === 0,
      index: 'index.html',
      setHeaders
    })
  }
  await app.register(fastifyStatic, {
    root: fileURLToPath(TEXT_FILES),
    prefix: TEXT_PATH,
    decorateReply: false,
    setHeaders
  })
  app.get(`${INLINE_PDF_PATH}/*`, async (request, reply) => {
    const file = published(request.raw.url!.slice(INLINE_PDF_PATH.length))
    if (file?.mediaType !== PDF) {
      return await reply.code(404).type('text/plain; charset=utf-8').send('Not Found')
    }
    return await reply.headers({
      'Content-Type': PDF,
      'Content-Disposition': 'inline',
      'Cache-Control': 'private, no-store',
      'X-Content-Type-Options': 'nosniff'
    }).send(Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length))
  })
  // Source: recorded. These headers and no others.
  app.get(API_PATH, {
    onSend: async (request, reply) => {
      if (reply.statusCode === 200) reply.type('application/javascript; charset=UTF-8')
    }
  }, async (request, reply) => await reply.sendFile('api.js'))
}

/** Where the page finds the packages that it imports. */
async function readImportMap (): Promise<string> {
  const html = await readFile(new URL('index.html', BROWSER_FILES), 'utf8')
  return /<script type="importmap">([^]*?)<\/script>/.exec(html)![1]!
}

const moduleFiles = new Map<string, string>()

/** The file of a module that the page imports. Kept for the next server, because looking for it takes milliseconds. */
function moduleFile (name: string): string {
  const file = moduleFiles.get(name) ?? fileURLToPath(import.meta.resolve(name))
  moduleFiles.set(name, file)
  return file
}

/** The path and query of a PDF for the page to show; nothing for other formats. */
export function inlinePdf (
  publish: Editing['publish'],
  { key, fileType }: PageEditor['document'],
  editable: Editable
): { pdf?: string } {
  return fileType === 'pdf' ? { pdf: INLINE_PDF_PATH + publish(key, 'shown.pdf', editable.bytes(), fileType) } : {}
}
