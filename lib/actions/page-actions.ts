import type { EditorControlDefaults } from '../../types/control.js'
import type { OfferedActions } from '../control/control.js'
import { mayUse, rightsOf, withInfo } from '../control/defaults.js'
import type { Settings } from '../options.js'
import type { PageAction } from './action.js'
import { choiceActions } from './choices.js'
import { configActions } from './config.js'
import { documentActions } from './document.js'
import { historyActions } from './history.js'
import { linkedDataActions } from './linked-data.js'
import { peopleActions } from './people.js'
import { saveAs } from './save-as.js'

type Options = Pick<Settings, 'actions' | 'versions'>

export const allActions: readonly PageAction[] = [
  ...configActions,
  ...documentActions,
  saveAs,
  ...choiceActions,
  ...linkedDataActions,
  ...peopleActions,
  ...historyActions
]

/** The actions that the options turn on. */
export function pageActions ({ actions, versions }: Options): PageAction[] {
  const options = { ...actions, versions }
  return allActions.filter(({ option }) => option === undefined || options[option] !== undefined)
}

/** What the options `actions` and `versions` offer to a page. */
export function offeredActions ({ actions, versions }: Options, instanceId: string): OfferedActions {
  const named = pageActions({ actions, versions }).filter(({ option }) => option !== undefined)
  return {
    namesFor: defaults => [
      ...named.filter(({ needs }) => mayUse(defaults, needs)).map(({ name }) => name),
      ...actions.editRights && !rightsOf(defaults).edit ? ['edit-rights'] : [], // the action `config` grants it
      ...actions.links ? ['links'] : []
    ],
    completed (defaults, fileId) {
      const complete: EditorControlDefaults = actions.sharing ? withInfo(defaults) : defaults
      if (!actions.reference || fileId === '' || complete.referenceData) {
        return complete
      }
      return { ...complete, referenceData: { fileKey: fileId, instanceId } }
    }
  }
}
