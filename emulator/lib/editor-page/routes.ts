import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Editable } from '../documents/types.js'
import { type ResultFiles, resultFolder } from '../result-files/files.js'
import type { OpenDocument } from '../sessions/open-document.js'

/** Of the layouts for a desktop and for a phone. */
const EDITOR_PATHS = ['/web-apps/apps/documenteditor/main/', '/web-apps/apps/documenteditor/mobile/']
export const API_PATH = '/web-apps/apps/api/documents/api.js'

const PDF = 'application/pdf'

const BROWSER_FOLDER = new URL('../browser/', import.meta.url)

/** Packages that the page imports, with the folder of what it loads from them. */
const VENDORS = { slickgrid: new URL('../', import.meta.resolve('slickgrid')) }

const IMPORT_MAP = /(?<=<script type="importmap">)[^<]*/.exec(
  readFileSync(new URL('index.html', BROWSER_FOLDER), 'utf8')
)![0]

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' ${hashOf(IMPORT_MAP)}`,
  `style-src 'self' ${hashOf('')}`, // an empty style element, which the grid fills by script
  'img-src data:',
  "connect-src 'self'",
  "frame-src 'self'", // for PDF
  "base-uri 'none'",
  "form-action 'none'"
].join('; ')

function hashOf (inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`
}

/** Followed by the path of a PDF among the result files. */
const INLINE_PDF_PATH = '/doc/shown'

/** The script that applications embed, the editor page in its frame, and the PDF files that the page shows. */
export async function pageRoutes (app: FastifyInstance, files: ResultFiles): Promise<void> {
  for (const [index, prefix] of EDITOR_PATHS.entries()) {
    await app.register(fastifyStatic, {
      root: fileURLToPath(BROWSER_FOLDER),
      prefix,
      decorateReply: index === 0,
      index: 'index.html',
      setHeaders (reply, path) {
        if (path.endsWith('api.js')) return
        reply.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
        reply.setHeader('X-Content-Type-Options', 'nosniff')
      }
    })
    for (const [name, folder] of Object.entries(VENDORS)) {
      await app.register(fastifyStatic, {
        root: fileURLToPath(folder),
        prefix: `${prefix}vendor/${name}/`,
        decorateReply: false,
        index: false
      })
    }
  }
  app.get(`${INLINE_PDF_PATH}/*`, async (request, reply) => {
    const file = files.find(request.raw.url!.slice(INLINE_PDF_PATH.length))
    if (typeof file === 'string' || file.mediaType !== PDF) {
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

/** The path and query of a PDF for the page to show; nothing for other formats. */
export function inlinePdf (files: ResultFiles, { key, fileType }: OpenDocument, editable: Editable): { pdf?: string } {
  if (fileType !== 'pdf') return {}
  return {
    pdf: INLINE_PDF_PATH + files.urlOf(files.put(resultFolder(key), 'shown.pdf', editable.bytes(), fileType), '', key)
  }
}
