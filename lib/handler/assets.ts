import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BundledError } from '../errors.js'
import type { CommonRouteOptions } from './request.js'

/** The output of `scripts/bundle-page.js`. Throws if a bundler has left no URL. */
function modulesDirectory (): string {
  return fileURLToPath(new URL('../assets/', import.meta.url))
}

/** A module's file name: the module's name and the hash of its content. */
const MODULE_FILE = /^([a-z]+(?:-[a-z]+)*)(?:-([0-9a-f]{12}))?\.js$/

/** The modules' file names by their names without a hash. */
export type PageModules = ReadonlyMap<string, string>

/** Throws `BundledError` if the modules are not beside the library. */
export async function readPageModules (): Promise<PageModules> {
  const files = await pageFiles()
  const modules = new Map(files.flatMap(file => {
    const [, name, hash] = MODULE_FILE.exec(file) ?? []
    return name !== undefined && hash !== undefined ? [[name, file]] : []
  }))
  if (!modules.has('editor')) throw new BundledError()
  return modules
}

async function pageFiles (): Promise<string[]> {
  try {
    return await readdir(modulesDirectory())
  } catch (cause) {
    throw new BundledError({ cause })
  }
}

type SendFile = (
  this: FastifyReply,
  name: string,
  options: { readonly etag: boolean, readonly lastModified: boolean }
) => FastifyReply

/**
 * Module names without a hash, which an application can import in its pages. Each entry lists every module it needs, so
 * that the browser requests them all at once.
 */
const ENTRIES: Readonly<Record<string, (file: (name: string) => string) => string>> = {
  // For a page that mounts the editor and captures documents itself: other pages do not import `captures`.
  editor: file => `import './${file('captures')}'\nexport * from './${file('editor')}'\n`,
  'document-editor': file => `import './${file('editor')}'\nexport * from './${file('document-editor')}'\n`
}

/** Serves the page's modules below the handler's path. */
export function assetsScope (path: string, modules: PageModules, routeOptions: CommonRouteOptions) {
  return async function assets (scope: FastifyInstance): Promise<void> {
    let loading: Promise<SendFile> | undefined
    const fileOf = (name: string) => modules.get(name) ?? ''

    scope.route({
      ...routeOptions,
      method: ['GET', 'HEAD'],
      url: `${path}/assets/*`,
      async handler (request: FastifyRequest, reply: FastifyReply) {
        const { '*': asked } = request.params as { '*': string }
        const [, name = '', hash] = MODULE_FILE.exec(asked) ?? []
        const entry = Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined
        if (hash === undefined && entry) {
          return await reply.type('application/javascript; charset=utf-8').header('cache-control', 'no-cache').send(
            entry(fileOf)
          )
        }
        const file = modules.get(name)
        if (hash === undefined || file === undefined) return reply.callNotFound()
        // The page was made by another release: by another instance, or before an update. This release's module works
        // there, but must not be cached under that name.
        const isOurs = asked === file
        reply.header('cache-control', isOurs ? 'public, max-age=31536000, immutable' : 'no-store')
        varyByEncoding(reply)
        const sendFile = await (loading ??= fileSender(scope))
        return sendFile.call(reply, file, { etag: isOurs, lastModified: isOurs })
      }
    })
  }
}

/**
 * `reply.sendFile` without decorating replies: the application may have registered @fastify/static with its own
 * options. Loaded with the first request, because loading takes a tenth of a second.
 */
async function fileSender (scope: FastifyInstance): Promise<SendFile> {
  const { fastifyStatic } = await import('@fastify/static')
  let sendFile: SendFile | undefined
  const undecorated = Object.create(scope, {
    decorateReply: { value (name: string, method: SendFile) { if (name === 'sendFile') sendFile = method } }
  }) as FastifyInstance
  await fastifyStatic(undecorated, {
    root: modulesDirectory(),
    serve: false,
    preCompressed: true,
    cacheControl: false,
    index: false
  })
  return sendFile!
}

/** Keeps the values that hooks of the application have set, such as @fastify/cors. */
function varyByEncoding (reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
}
