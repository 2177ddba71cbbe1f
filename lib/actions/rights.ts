import type { PageActionName, PageRights } from '../../types/actions.js'
import type { EditorControlDefaults } from '../../types/control.js'
import { rightsOf } from '../control/defaults.js'

/** What a page must allow its user: docs/actions.md shows the table. */
export type Need = keyof PageRights | 'any'

/** Of each action. `edit-rights` is a purpose of `config`; `links` asks nothing of the application. */
export const NEEDS: Readonly<Record<PageActionName | 'edit-rights' | 'links', Need>> = {
  config: 'any',
  renew: 'any',
  rename: 'edit',
  'save-as': 'download',
  images: 'edit',
  documents: 'edit',
  spreadsheets: 'edit',
  reference: 'any',
  users: 'any',
  notify: 'comment',
  sharing: 'edit',
  'edit-rights': 'any',
  favorite: 'any',
  create: 'edit',
  links: 'any',
  history: 'history',
  'history-data': 'history',
  restore: 'edit'
}

/** Of the action `users`, by what the editor asks for. With `info`, only those who may comment get mail addresses. */
export const NEEDS_OF_USERS = { info: 'any', mention: 'comment', protect: 'edit' } as const satisfies Record<
  string,
  Need
>

export function mayUse (defaults: EditorControlDefaults, need: Need): boolean {
  return need === 'any' || rightsOf(defaults)[need]
}
