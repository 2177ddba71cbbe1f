import type { ActionOptions } from '../../types/actions.js'
import type { EditorControlDefaults } from '../../types/control.js'
import type { OfferedActions } from '../control/control.js'
import { rightsOf, withInfo } from '../control/defaults.js'
import { mayUse, NEEDS } from './rights.js'

type Options = ActionOptions & { readonly versions?: unknown }

/** By their names in the page. */
const isOn: Readonly<Record<Exclude<keyof typeof NEEDS, 'config' | 'renew'>, (options: Options) => boolean>> = {
  rename: ({ rename }) => rename !== undefined,
  'save-as': ({ saveAs }) => saveAs !== undefined,
  images: ({ images }) => images !== undefined,
  documents: ({ documents }) => documents !== undefined,
  spreadsheets: ({ spreadsheets }) => spreadsheets !== undefined,
  reference: ({ reference }) => reference !== undefined,
  users: ({ users }) => users !== undefined,
  notify: ({ notify }) => notify !== undefined,
  sharing: ({ sharing }) => sharing !== undefined,
  'edit-rights': ({ editRights }) => editRights !== undefined,
  favorite: ({ favorite }) => favorite !== undefined,
  create: ({ create }) => create !== undefined,
  links: ({ links }) => links === true,
  history: ({ versions }) => versions !== undefined,
  'history-data': ({ versions }) => versions !== undefined,
  restore: ({ versions }) => versions !== undefined
}

/** What the options `actions` and `versions` offer to a page. */
export function offeredActions (options: Options, instanceId: string): OfferedActions {
  const names = (Object.keys(isOn) as Array<keyof typeof isOn>).filter(name => isOn[name](options))
  return {
    namesFor (defaults) {
      const { edit } = rightsOf(defaults)
      return names.filter(name => name === 'edit-rights' ? !edit : mayUse(defaults, NEEDS[name]))
    },
    completed (defaults, fileId) {
      const complete: EditorControlDefaults = options.sharing ? withInfo(defaults) : defaults
      if (!options.reference || fileId === '' || complete.referenceData) {
        return complete
      }
      return { ...complete, referenceData: { fileKey: fileId, instanceId } }
    }
  }
}
