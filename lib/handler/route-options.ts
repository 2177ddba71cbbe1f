import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import type { EditorCaller } from '../../types/fastify.js'
import type { EditorOptions } from '../../types/options.js'

/** What every route of the plugin has. */
export interface CommonRouteOptions extends Pick<RouteOptions, 'constraints'> {
  readonly config: FastifyContextConfig
  readonly schema: FastifySchema
}

/** What describes a route, in the form that @fastify/swagger calls. */
export type SwaggerTransform = (
  route: { readonly url: string, readonly openapiObject?: object }
) => { readonly url: string, readonly schema: object }

/** Without a `transform` the route is hidden from API documentation. */
export type RouteOptionsOf = (caller: EditorCaller, transform?: SwaggerTransform) => CommonRouteOptions

/** By the property that @fastify/swagger reads. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true }

/** Each route has the application's `config`, and a mark that tells hooks who asks. */
export function routeOptionsWith (
  { constraints, config }: Pick<EditorOptions, 'constraints' | 'config'>
): RouteOptionsOf {
  return (caller, transform) => ({
    ...(constraints && { constraints }),
    schema: HIDDEN,
    // Without an own transform, that of the application is called, which may know nothing but schemas of its own kind.
    config: { swaggerTransform: transform ?? false, ...config, editor: { caller } } as FastifyContextConfig
  })
}
