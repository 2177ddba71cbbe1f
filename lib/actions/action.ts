import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { PageActionName } from '../../types/actions.js'
import type { EditorControl } from '../../types/control.js'
import type { AuthorizedAction, RequestedAction } from '../handler/credentials.js'

/** One request of a page. */
export interface PageRequest<Body> extends AuthorizedAction {
  readonly body: Body
  /** For hooks of the application. */
  readonly request: FastifyRequest
  /** Opens the page's document as its control did. Rejects with `FileNotFoundError`. */
  open (): Promise<EditorControl>
}

/** What a page can ask for: `POST <handler path>/actions/<name>` with a JSON object as body, which is answered with another one. */
export interface PageAction extends RequestedAction {
  readonly name: PageActionName
  readonly schema: TSchema
  run (request: PageRequest<unknown>): Promise<object>
}

interface Definition<Schema extends TSchema> extends RequestedAction {
  /** Of the body. Other fields are ignored. */
  readonly schema: Schema
  readonly run: (request: PageRequest<Static<Schema>>) => Promise<object>
}

/** Defines an action: the body is checked before it runs. */
export function pageAction<Schema extends TSchema> (definition: Definition<Schema>): PageAction {
  return definition as PageAction
}
