// For TypeDoc: calls the entry points by what one writes behind `from`, and the pages by their headings.
import { Converter, ReflectionKind } from 'typedoc'

const NAMES = /** @type {Record<string, string>} */ ({
  'dist/lib/exports': 'fastify-onlyoffice',
  'dist/lib/conformance': 'fastify-onlyoffice/conformance',
  'dist/lib/store': 'fastify-onlyoffice/storage',
  'dist/lib/store/s3': 'fastify-onlyoffice/s3',
  'dist/lib/store/postgres': 'fastify-onlyoffice/postgres',
  'dist/lib/browser': 'fastify-onlyoffice/browser',
  'dist/lib/browser/types/document-editor': 'fastify-onlyoffice/browser/document-editor',
  'emulator/dist/lib': 'onlyoffice-emulator'
})

/** @param {import('typedoc').Application} app */
export function load (app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return
    const name = NAMES[reflection.name]
    if (name === undefined) throw new Error(`scripts/reference.js has no name for ${reflection.name}`)
    reflection.name = name
  })

  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const [heading] = document.content
    const title = heading?.kind === 'text' && /^# (.+)/.exec(heading.text)?.[1]
    if (!title) throw new Error(`${document.name} does not begin with a heading`)
    document.name = title
  })
}
