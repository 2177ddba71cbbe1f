import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import type { EditorCaller } from '../../types/fastify.js'
import type { EditorOptions } from '../../types/options.js'

/** Options of every route of the plugin. */
export interface CommonRouteOptions extends Pick<RouteOptions, 'constraints'> {
  readonly config: FastifyContextConfig
  readonly schema: FastifySchema
}

/** Describes a route in the form that @fastify/swagger calls. */
export type SwaggerTransform = (
  route: { readonly url: string, readonly openapiObject?: object }
) => { readonly url: string, readonly schema: object }

/** Without a `transform` the route is hidden from API documentation. */
export type RouteOptionsOf = (caller: EditorCaller, transform?: SwaggerTransform) => CommonRouteOptions

/** Hides a route: @fastify/swagger reads the property. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true }

/** Gives each route the application's `config` and `config.editor.caller`, which tells hooks who is calling. */
export function routeOptionsWith (
  { constraints, config }: Pick<EditorOptions, 'constraints' | 'config'>
): RouteOptionsOf {
  return (caller, transform) => ({
    ...(constraints && { constraints }),
    schema: HIDDEN,
    // Without a transform of its own, a route would get the application's, which may handle only its own kind of
    // schema.
    config: { swaggerTransform: transform ?? false, ...config, editor: { caller } } as FastifyContextConfig
  })
}
