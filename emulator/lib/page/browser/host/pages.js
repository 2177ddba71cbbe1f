import { emit } from '../embedding-page.js'
import { reopen } from '../session.js'
import { mayBecomeEditor } from './conditions.js'
/** @import { Config } from '../protocol.js' */
/** @import { Feature } from './features.js' */

let isFavorite = false
/** @type {HTMLButtonElement | undefined} */
let favorite

/** What opens another page, or this one in another way. @type {Feature} */
export const pages = {
  items: [
    {
      name: 'Edit document',
      event: 'onRequestEditRights',
      when: mayBecomeEditor,
      click: () => emit('onRequestEditRights')
    },
    {
      name: 'Favorite',
      event: 'onMetaChange',
      when: (_opened, { document }) => document?.info?.favorite !== undefined,
      prepare (item, config) {
        favorite = item
        favorite.role = 'menuitemcheckbox'
        showFavorite(config.document?.info?.favorite === true)
      },
      click: () => emit('onMetaChange', { favorite: !isFavorite })
    },
    { name: 'Create new', event: 'onRequestCreateNew', click: () => emit('onRequestCreateNew') }
  ],
  commands: {
    setFavorite: ({ data }) => showFavorite(data === true),
    /** @param {{ data: Config }} detail */
    refreshFile: ({ data }) => reopen(data)
  }
}

/** @param {boolean} value */
function showFavorite (value) {
  isFavorite = value
  favorite?.setAttribute('aria-checked', String(value))
}
