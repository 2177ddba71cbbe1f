import { button, element } from '../dom.js'
import { emit, isHandled } from '../embedding-page.js'
import { lastPlace, whenUsersChange } from '../session.js'
import { showNames } from '../presence.js'
import { mayComment } from './conditions.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

/** @typedef {{ id?: string, name?: string, email?: string, image?: string }} KnownUser */

const MENTIONED_AT_ONCE = 100

/** Ids whose names were requested. @type {Set<string>} */
const requested = new Set()
/** @type {{ list: HTMLElement, field: HTMLInputElement | HTMLTextAreaElement | null, mentioned: Map<string, KnownUser> } | null} */
let comment = null

/** @type {Feature} */
export const users = {
  items: [{ menu: 'insert', name: 'Mention', event: 'onRequestUsers', when: mayComment, click: mention }],
  commands: { setUsers }
}

whenUsersChange(present => requestInfo(present.map(({ userId }) => userId)))

/**
 * Asks for the names and pictures of those that were not asked for yet. An author who is unknown has an empty id.
 * @param {string[]} ids
 */
export function requestInfo (ids) {
  if (!isHandled('onRequestUsers')) return
  const unknown = new Set(ids.filter(id => !requested.has(id)))
  for (const id of unknown) requested.add(id)
  if (unknown.size > 0) emit('onRequestUsers', { c: 'info', id: [...unknown] })
}

/** @param {{ data: { c?: string, users?: KnownUser[] } | null }} detail */
function setUsers ({ data }) {
  const given = data?.users ?? []
  if (data?.c === 'info') {
    showNames(new Map(given.flatMap(({ id, name }) => id === undefined || !name ? [] : [[id, name]])))
  } else if (comment !== null) suggest(given)
}

/** A comment of which the page tells those who are mentioned. */
async function mention () {
  const place = lastPlace()
  const list = element('ul', { className: 'suggestions', ariaLabel: 'People' })
  comment = { list, field: null, mentioned: new Map() }
  const { mentioned } = comment
  const message = await askUser({
    title: 'Comment',
    text: 'Type @ to mention somebody.',
    field: {
      label: 'Comment',
      long: true,
      typed (text, field) {
        const search = /(?:^|\s)@(\S*)$/.exec(text.slice(0, field.selectionStart ?? undefined))?.[1]
        list.replaceChildren()
        if (comment === null) return
        comment.field = field
        if (search !== undefined) emit('onRequestUsers', { c: 'mention', from: 0, count: MENTIONED_AT_ONCE, search })
      }
    },
    more: [list]
  })
  comment = null
  const emails = [...mentioned.keys()].filter(email => message?.includes(email))
  if (message === null || emails.length === 0 || !isHandled('onRequestSendNotify')) return
  emit('onRequestSendNotify', {
    emails,
    actionId: crypto.randomUUID?.() ?? String(Date.now()),
    actionLink: { action: { type: 'comment', data: place ?? '' } },
    message
  })
}

/** @param {KnownUser[]} people */
function suggest (people) {
  comment?.list.replaceChildren(...people.slice(0, MENTIONED_AT_ONCE).map(person => {
    const { name, email = '', id = '' } = person
    return element('li', {}, button(name ?? (email || id), () => choose(person), { title: email }))
  }))
}

/** @param {KnownUser} person */
function choose ({ email = '', ...person }) {
  if (comment === null || comment.field === null) return
  const { field, list, mentioned } = comment
  const end = field.selectionStart ?? field.value.length
  field.value = field.value.slice(0, end).replace(/@\S*$/, `+${email} `) + field.value.slice(end)
  mentioned.set(email, person)
  list.replaceChildren()
  field.focus()
}
