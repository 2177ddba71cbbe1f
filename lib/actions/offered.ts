import type { ActionOptions, PageRights } from '../../types/actions.js'
import type { EditorControlDefaults } from '../../types/control.js'
import type { OfferedActions } from '../control/control.js'
import { rightsOf, withInfo } from '../control/page-defaults.js'

interface Offer {
  readonly isOn: (options: ActionOptions & { readonly versions?: unknown }) => boolean
  readonly isFor: (rights: PageRights) => boolean
}

const everybody = () => true
const editors = ({ edit }: PageRights) => edit

/** By their names in the page. */
const offers: Readonly<Record<string, Offer>> = {
  rename: { isOn: ({ rename }) => rename !== undefined, isFor: editors },
  'save-as': { isOn: ({ saveAs }) => saveAs !== undefined, isFor: ({ download }) => download },
  images: { isOn: ({ images }) => images !== undefined, isFor: editors },
  documents: { isOn: ({ documents }) => documents !== undefined, isFor: editors },
  spreadsheets: { isOn: ({ spreadsheets }) => spreadsheets !== undefined, isFor: editors },
  reference: { isOn: ({ reference }) => reference !== undefined, isFor: everybody },
  users: { isOn: ({ users }) => users !== undefined, isFor: everybody },
  notify: { isOn: ({ notify }) => notify !== undefined, isFor: ({ comment }) => comment },
  sharing: { isOn: ({ sharing }) => sharing !== undefined, isFor: everybody },
  'edit-rights': { isOn: ({ editRights }) => editRights !== undefined, isFor: ({ edit }) => !edit },
  favorite: { isOn: ({ favorite }) => favorite !== undefined, isFor: everybody },
  create: { isOn: ({ create }) => create !== undefined, isFor: everybody },
  links: { isOn: ({ links }) => links === true, isFor: everybody },
  history: { isOn: ({ versions }) => versions !== undefined, isFor: everybody },
  'history-data': { isOn: ({ versions }) => versions !== undefined, isFor: everybody },
  restore: { isOn: ({ versions }) => versions !== undefined, isFor: editors }
}

/** What the options `actions` and `versions` offer to a page. */
export function offeredActions (options: ActionOptions & { readonly versions?: unknown }, instanceId: string): OfferedActions {
  const names = Object.keys(offers).filter(name => offers[name]!.isOn(options))
  return {
    namesFor (defaults) {
      const rights = rightsOf(defaults)
      return names.filter(name => offers[name]!.isFor(rights))
    },
    completed (defaults, fileId) {
      const complete: EditorControlDefaults = options.sharing ? withInfo(defaults) : defaults
      if (!options.reference || fileId === '' || complete.referenceData || complete.document?.referenceData) return complete
      return { ...complete, referenceData: { fileKey: fileId, instanceId } }
    }
  }
}
