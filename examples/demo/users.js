/** There is no login: whoever opens a page chooses one of these users, so two windows can be two users. */
export const users = [
  { id: 'mira', name: 'Mira Sandoval' },
  { id: 'jonas', name: 'Jonas Feldt' },
  { id: 'teodora', name: 'Teodora Vance' }
]

/** @typedef {typeof users[number]} User */

/**
 * @param {unknown} id
 * @returns {User}
 */
export function userOf (id) {
  return users.find(user => user.id === id) ?? /** @type {User} */ (users[0])
}
