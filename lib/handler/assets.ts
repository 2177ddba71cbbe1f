import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
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
  const modules = new Map<string, string>()
  try {
    for (const file of await readdir(modulesDirectory())) {
      const [, name, hash] = MODULE_FILE.exec(file) ?? []
      if (name !== undefined && hash !== undefined) modules.set(name, file)
    }
  } catch (cause) {
    throw new BundledError({ cause })
  }
  if (!modules.has('editor')) throw new BundledError()
  return modules
}

/**
 * Module names without a hash, which an application can import in its pages. Each entry lists every module it needs, so
 * that the browser requests them all at once.
 */
const ENTRIES: Readonly<Record<string, (file: (name: string) => string) => string>> = {
  editor: file => `export * from './${file('editor')}'\n`,
  'document-editor': file => `import './${file('editor')}'\nexport * from './${file('document-editor')}'\n`
}

/** Serves the page's modules below the handler's path. */
export function assetsScope (path: string, modules: PageModules, routeOptions: CommonRouteOptions) {
  return async function assets (scope: FastifyInstance): Promise<void> {
    const addRoute = scope.route.bind(scope)
    // @fastify/static takes no `config` for its routes, which the application's hooks read when a route is added.
    scope.route = ((route: RouteOptions) =>
      addRoute({ ...route, ...routeOptions, config: { ...route.config, ...routeOptions.config } })) as typeof addRoute
    scope.addHook('preHandler', async (_request, reply) => varyByEncoding(reply))
    await scope.register(fastifyStatic, {
      root: modulesDirectory(),
      prefix: `${path}/assets/`,
      wildcard: false, // a route for each file
      globIgnore: ['**/*.{br,gz}'],
      preCompressed: true,
      index: false,
      immutable: true,
      maxAge: '1y',
      decorateReply: false // the application may have registered it with its own options
    })

    scope.get(`${path}/assets/:file`, routeOptions, async (request, reply) => {
      const { file: asked } = request.params as { file: string }
      const [, name = '', hash] = MODULE_FILE.exec(asked) ?? []
      const file = modules.get(name)
      if (hash === undefined && Object.hasOwn(ENTRIES, name)) {
        return await reply.type('application/javascript; charset=utf-8').header('cache-control', 'no-cache')
          .send(ENTRIES[name]!(name => modules.get(name) ?? ''))
      }
      if (hash === undefined || file === undefined) return reply.callNotFound()
      // The page comes from another release: from another instance, or from before an update. This release's module
      // works there.
      return await reply.header('cache-control', 'no-store').redirect(file)
    })
  }
}

/** Keeps the values that hooks of the application have set, such as @fastify/cors. */
function varyByEncoding (reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '))
}
