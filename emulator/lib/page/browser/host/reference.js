import { emit, isHandled } from '../embedding-page.js'
import { showToast } from '../frame.js'
import { crash, editing, refused, request, setLinkTaker } from '../session.js'
import { isEditedGrid, isGrid } from './conditions.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

/**
 * @typedef {{ path: string, sheet: string, cell: string }} Link A cell of another file.
 * @typedef {{ fileType?: string, key?: string, path?: string, url?: string, referenceData?: object, token?: string, error?: string }} ReferenceData
 */

const FORMULA = /^=\[([^\]]+)\]([^!]+)!\$?([A-Z]+)\$?(\d+)$/

/** The cells that wait for an answer, in order: `id` is `sheet!B3`. @type {Array<{ id: string, link: Link }>} */
const waiting = []
/**
 * The latest link that was answered, to open or change its file.
 * @type {{ id: string, link: Link, referenceData?: object } | null}
 */
let latest = null

/** @type {Feature} */
export const reference = {
  items: [
    { menu: 'insert', name: 'Reference', event: 'onRequestReferenceData', when: isEditedGrid, click: refer },
    {
      name: 'Change source',
      event: 'onRequestReferenceSource',
      when: isEditedGrid,
      click: () => emitSource('onRequestReferenceSource')
    },
    { name: 'Open source', event: 'onRequestOpen', when: isGrid, click: () => emitSource('onRequestOpen') }
  ],
  commands: { setReferenceData, setReferenceSource }
}

/**
 * Whether a value typed into a cell is a link to another file. Its value is then requested.
 * @param {string} id
 * @param {string} value
 */
function takesLink (id, value) {
  if (!isHandled('onRequestReferenceData')) return false
  const [, path, sheet, column, row] = FORMULA.exec(value.trim()) ?? []
  if (path === undefined || sheet === undefined) return false
  waiting.push({ id, link: { path, sheet: sheet.replace(/^'|'$/g, ''), cell: `${column}${row}` } })
  emit('onRequestReferenceData', { path })
  return true
}

setLinkTaker(takesLink)

async function refer () {
  const id = currentCell()
  const formula = await askUser({
    title: 'Link to a cell of another file',
    text: `Its value is shown in ${id}.`,
    field: { label: 'Formula', value: '=[file.xlsx]Sheet1!A1' }
  })
  if (formula !== null && !takesLink(id, formula)) showToast('This is not a link such as =[file.xlsx]Sheet1!A1')
}

function currentCell () {
  return editing.cell() ?? ''
}

/** Exactly one answer to each request. @param {{ data: ReferenceData | null }} detail */
async function setReferenceData ({ data }) {
  const asked = waiting.shift()
  if (asked === undefined) return crash('setReferenceData was called, but no data had been requested.')
  if (data?.error) return showToast(data.error)
  await insert(asked, data)
}

/** @param {{ data: ReferenceData | null }} detail */
async function setReferenceSource ({ data }) {
  if (data?.error) return showToast(data.error)
  if (latest !== null) await insert(latest, data)
}

/** @param {{ id: string, link: Link }} asked @param {ReferenceData | null} data */
async function insert ({ id, link }, data) {
  try {
    const { value } = await request({ type: 'readCell', data, sheet: link.sheet, cell: link.cell })
    latest = { id, link, ...data?.referenceData === undefined ? {} : { referenceData: data.referenceData } }
    editing.setCell(id, value)
  } catch (error) {
    refused(error)
  }
}

/** Names the file of the latest link. @param {string} event */
function emitSource (event) {
  if (latest === null) return showToast('No cell is linked to another file yet.')
  const { link: { path }, referenceData } = latest
  emit(event, { path, ...referenceData === undefined ? {} : { referenceData } })
}
