/**
 * There is no login: whoever opens a page chooses one of these users, so two windows can be two users. An editor
 * chooses the colors of its users itself; these are those of the embedded one.
 */
export const users = [
  { id: 'mira', name: 'Mira Sandoval', email: 'mira@example.com', color: '#1f6f5c' },
  { id: 'jonas', name: 'Jonas Feldt', email: 'jonas@example.com', color: '#b3261e' },
  { id: 'teodora', name: 'Teodora Vance', email: 'teodora@example.com', color: '#1a6b8f' }
]

/** @typedef {typeof users[number]} User */

/**
 * @param {unknown} id
 * @returns {User}
 */
export function userOf (id) {
  return users.find(user => user.id === id) ?? /** @type {User} */ (users[0])
}

/**
 * A picture of a user, as SVG: initials on the user's color.
 * @param {User} user
 */
export function portraitOf ({ id, name, color }) {
  const initials = name.split(' ').map(word => word[0]).join('')
  return `<svg class="avatar" data-avatar="${id}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" aria-hidden="true"><circle cx="20" cy="20" r="20" fill="${color}"/><text x="20" y="25.5" fill="#fff" font-family="sans-serif" font-size="15" font-weight="700" text-anchor="middle">${initials}</text></svg>`
}
