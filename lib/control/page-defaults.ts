import type { PageAccess, PageRights, PageUser } from '../../types/actions.js'
import type { EditorControlDefaults, RenderOptions } from '../../types/control.js'
import { isJsonObject } from '../json.js'

/** The user of a page. A number as `id`, as databases have it, is a string for hooks, as it is in callbacks. */
export function pageUser ({ user, editorConfig }: EditorControlDefaults): PageUser | undefined {
  const given = user ?? editorConfig?.user
  return typeof given?.id === 'number' ? { ...given, id: String(given.id) } : given
}

/** What the control of a page has set. */
export function accessOf (defaults: EditorControlDefaults): PageAccess {
  const { mode, permissions, document, editorConfig } = defaults
  return {
    mode: (mode ?? editorConfig?.mode) === 'view' ? 'view' : 'edit',
    permissions: { ...permissions ?? document?.permissions },
    rights: rightsOf(defaults)
  }
}

/** The defaults of the editor: everything is allowed that is not denied. */
export function rightsOf ({ type, mode, permissions, document, editorConfig, history }: EditorControlDefaults): PageRights {
  const { edit, comment, download } = permissions ?? document?.permissions ?? {}
  const isEditor = (mode ?? editorConfig?.mode) !== 'view' && type !== 'embedded'
  const mayEdit = isEditor && edit !== false
  return { edit: mayEdit, comment: isEditor && (comment ?? mayEdit), download: download !== false, history: history ?? mayEdit }
}

/** The same page for editing. What `given` says takes precedence. */
export function editingDefaults (defaults: EditorControlDefaults, given: EditorControlDefaults = {}): EditorControlDefaults {
  const { permissions = defaults.document?.permissions } = defaults
  return {
    ...mergedDefaults(defaults, given),
    mode: given.mode ?? given.editorConfig?.mode ?? 'edit',
    permissions: { ...permissions, edit: true, ...given.document?.permissions, ...given.permissions }
  }
}

/** With what `render()` was told: the page asks for further configurations, which must be the same in this. */
export function renderedDefaults (defaults: EditorControlDefaults, { events = [], lang }: RenderOptions): EditorControlDefaults {
  return {
    ...defaults,
    ...(lang !== undefined && { lang }),
    ...(events.includes('onRequestSharingSettings') && withInfo(defaults))
  }
}

/** The editor crashes without `document.info` where it asks for sharing settings. */
export function withInfo (defaults: EditorControlDefaults): EditorControlDefaults {
  return { ...defaults, info: defaults.info ?? defaults.document?.info ?? {} }
}

/** For the configurations that the page asks for from now on. */
export function withFavorite (defaults: EditorControlDefaults, favorite: boolean): EditorControlDefaults {
  return { ...defaults, info: { ...defaults.info ?? defaults.document?.info, favorite } }
}

function mergedDefaults<Base extends object> (base: Base, given: object): Base {
  const present = base as Readonly<Record<string, unknown>>
  const changes = Object.entries(given).filter(([, value]) => value !== undefined)
  return {
    ...base,
    ...Object.fromEntries(changes.map(([name, value]) => {
      const old = Object.hasOwn(present, name) ? present[name] : undefined
      return [name, isJsonObject(old) && isJsonObject(value) ? mergedDefaults(old, value) : value as unknown]
    }))
  }
}
