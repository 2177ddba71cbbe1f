import type { FastifyRequest } from 'fastify'
import type { PageActionName } from '../../types/actions.js'
import type { EditorControl } from '../../types/control.js'
import type { PageClaims } from '../security/page-token.js'

/** One request of a page. */
export interface PageRequest<Body> {
  /** Of the page's token. */
  readonly claims: PageClaims
  readonly body: Body
  /** For hooks of the application. */
  readonly request: FastifyRequest
  /** Opens the page's document as its control did. Rejects with `FileNotFoundError`. */
  open (): Promise<EditorControl>
}

/**
 * What a page can ask for: `POST <handler path>/actions/<name>` with a JSON object as body, which is answered with
 * another one.
 */
export interface PageAction {
  readonly name: PageActionName
  /** Whether a body has what the action needs. */
  isBody (body: unknown): boolean
  run (request: PageRequest<unknown>): Promise<object>
}

interface Definition<Body> {
  readonly name: PageActionName
  readonly isBody: (body: unknown) => body is Body
  readonly run: (request: PageRequest<Body>) => Promise<object>
}

/** Defines an action: the body is checked before it runs. */
export function pageAction<Body> (definition: Definition<Body>): PageAction {
  return definition as PageAction
}
