import { element } from './dom.js'
import { showChildren } from './frame.js'
/** @import { Marks, User } from './protocol.js' */

const COLORS = 8
const SHOWN = 5

/** Users keep their colour as long as the page is open. @type {Map<string, number>} */
const colors = new Map()

/** Names that the embedding page gave, by user id. @type {Map<string, string>} */
const names = new Map()
/** @type {User[]} */
let shown = []

/** @param {ReadonlyMap<string, string>} given by user id */
export function showNames (given) {
  for (const [id, name] of given) names.set(id, name)
  showList(shown)
}

/**
 * Shows the users in the toolbar and their places in the document.
 * @param {User[]} users
 * @param {{ mark: (marks: Marks) => void } | null | undefined} view
 */
export function showPresence (users, view) {
  showList(users)
  showMarks(users, view)
}

/** @param {User[]} users */
function showList (users) {
  shown = users
  const list = /** @type {HTMLElement} */ (document.querySelector('[data-users]'))
  showChildren(list, ...users.slice(0, SHOWN).map(chip), ...more(users.slice(SHOWN)))
}

/** @param {User[]} users @param {{ mark: (marks: Marks) => void } | null | undefined} view */
export function showMarks (users, view) {
  /** @type {Map<string, { name: string, color: number }>} */
  const marks = new Map()
  for (const user of users) {
    if (user.self || user.place === null) continue
    const known = marks.get(user.place)
    marks.set(user.place, known === undefined
      ? { name: user.name, color: colorOf(user.userId) }
      : { ...known, name: `${known.name}, ${user.name}` })
  }
  view?.mark(marks)
}

/** A user has the same colour on every page, unless another user here already has it. @param {string} userId */
function colorOf (userId) {
  const known = colors.get(userId)
  if (known !== undefined) return known
  let color = [...userId].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973, 7) % COLORS
  const taken = new Set(colors.values())
  for (let tries = 0; tries < COLORS && taken.has(color); tries++) color = (color + 1) % COLORS
  colors.set(userId, color)
  return color
}

/** @param {User} user */
function chip ({ userId, name: ownName, viewOnly, self }) {
  const name = names.get(userId) ?? ownName
  const title = `${name}${self ? ' (you)' : ''}${viewOnly ? ', viewing' : ''}`
  const className = `${self ? 'self' : ''} ${viewOnly ? 'viewer' : ''}`
  const item = element('li', { textContent: initials(name), title, ariaLabel: title, className })
  item.dataset.color = String(colorOf(userId))
  return item
}

/** @param {User[]} others */
function more (others) {
  if (others.length === 0) return []
  const title = others.map(({ name }) => name).join(', ')
  return [element('li', { textContent: `+${others.length}`, title, ariaLabel: title, className: 'more' })]
}

/** @param {string} name */
function initials (name) {
  return name.split(/\s+/).map(word => [...word][0] ?? '').slice(0, 2).join('').toUpperCase()
}
