import { linkTo } from '../links.js'

/** @type {import('./index.js').ActionGroup} */
export function links ({ answer }) {
  return {
    /** @param {object} place */
    onMakeActionLink: place => answer('setActionLink', linkTo(place))
  }
}
