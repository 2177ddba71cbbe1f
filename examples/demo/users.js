/** There is no login: whoever opens a page chooses one of these users, so two windows can be two users. */
export const users = [
  { id: 'mira', name: 'Mira Sandoval', email: 'mira@example.com', color: '#7a3fa8' },
  { id: 'jonas', name: 'Jonas Feldt', email: 'jonas@example.com', color: '#0f6e78' },
  { id: 'teodora', name: 'Teodora Vance', email: 'teodora@example.com', color: '#a8471d' }
]

/** @typedef {typeof users[number]} User */

/**
 * @param {unknown} id
 * @returns {User}
 */
export function userOf (id) {
  return users.find(user => user.id === id) ?? /** @type {User} */ (users[0])
}

/** @param {User} user */
export function initialsOf ({ name }) {
  return name.split(' ').map(word => word[0]).join('')
}
