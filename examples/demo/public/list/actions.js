// What the menu of a document does.
import { read, saveFile, send } from '../shared/api.js'
import { element, find } from '../shared/page.js'
import { ask } from './dialog.js'
import { refresh } from './live.js'
import { tell } from './toasts.js'

/** @typedef {{ id: string, name: string, base: string, fileType: string, isFavorite: boolean }} Listed */

const list = find('[data-documents]')

/**
 * The document of a row.
 * @param {HTMLElement} row
 * @returns {Listed}
 */
export function listed ({ dataset: { id = '', name = '', base = '', fileType = '', favorite } }) {
  return { id, name, base, fileType, isFavorite: favorite === 'true' }
}

/** @type {Record<string, ((document: Listed) => void) | undefined>} */
export const items = { rename, copy, pdf, convert, delete: document => remove([document]), favorite }

/** @param {Listed} document */
function rename ({ id, name, base, fileType }) {
  ask('rename', {
    title: `Rename ${name}`,
    prepare (form) {
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem('name'))
      input.value = base
      find('[data-suffix]', form).textContent = `.${fileType}`
      requestAnimationFrame(() => input.select())
    },
    async run (fields) {
      const renamed = await (await send('PATCH', `/documents/${id}`, { name: fields.get('name') })).json()
      await refresh()
      tell(`${name} is now called ${renamed.name}`)
    }
  })
}

/** @param {Listed} document */
async function copy ({ id, name }) {
  await attempt(async () => {
    const made = await (await send('POST', `/documents/${id}/copy`)).json()
    await refresh()
    tell(`${made.name} was added`)
    show(made.id)
  }, `${name} was not copied`)
}

/** @param {Listed} document */
async function favorite ({ id, name, isFavorite }) {
  await attempt(async () => {
    await send('PATCH', `/documents/${id}`, { favorite: !isFavorite })
    await refresh()
    tell(isFavorite ? `${name} is no longer a favorite` : `${name} is a favorite`)
  }, `${name} was not changed`)
}

/** @param {Listed} document */
function pdf ({ id, name }) {
  ask('pdf', {
    title: `Show ${name} as PDF`,
    isImmediate: true,
    async run (_fields, signal) {
      const url = `/documents/${id}/pdf`
      await (await read(url, signal)).blob()
      location.assign(url) // the document server still has the result
    }
  })
}

/** @param {Listed} document */
async function convert ({ id, name, base }) {
  await attempt(async () => {
    /** @type {{ formats: Array<{ fileType: string, label: string, opens: boolean }> }} */
    const { formats } = await (await read(`/documents/${id}/formats`)).json()
    if (formats.length === 0) throw new Error('There is no other format for it')
    ask('convert', {
      title: `Convert ${name}`,
      prepare (form) {
        const select = /** @type {HTMLSelectElement} */ (form.elements.namedItem('format'))
        select.replaceChildren(...formats.map(({ fileType, label }) => {
          const option = element('option', '', `${label} (.${fileType})`)
          option.value = fileType
          option.defaultSelected = fileType === 'pdf'
          return option
        }))
        const second = /** @type {HTMLButtonElement} */ (find('[name="second"]', form))
        const update = () => { second.hidden = !formats.find(({ fileType }) => fileType === select.value)?.opens }
        select.onchange = update
        update()
      },
      async run (fields, signal) {
        const format = String(fields.get('format'))
        const add = fields.has('second')
        const response = await send('POST', `/documents/${id}/convert`, { format, add }, signal)
        if (add) {
          const made = await response.json()
          await refresh()
          tell(`${made.name} was added`)
          show(made.id)
        } else {
          saveFile(await response.blob(), `${base}.${format === 'pdfa' ? 'pdf' : format}`)
          tell(`${name} was converted`)
        }
      }
    })
  }, `${name} can't be converted`)
}

/** @param {readonly Listed[]} documents */
export function remove (documents) {
  const them = documents.length === 1 ? 'it' : 'them'
  ask('delete', {
    title: `Move ${textOf(documents)} to the bin?`,
    prepare (form) {
      const editing = documents.map(({ id }) => presenceOf(id)).filter(text => text !== '')
      const text = documents.length === 1 ? `${editing[0]}, and the editor will be closed. ` : 'Open editors will be closed. '
      find('[data-text]', form).textContent = `${editing.length === 0 ? '' : text}You can restore ${them} for seven days.`
    },
    async run () {
      try {
        for (const { id } of documents) await send('DELETE', `/documents/${id}`)
      } finally {
        await refresh()
      }
      const toast = tell(`${textOf(documents)} moved to the bin`, {
        action: { label: 'Undo', run: () => restore(documents) }
      })
      setTimeout(() => toast.querySelector('button')?.focus()) // the row and its button are gone
    }
  })
}

/**
 * Who is editing a document.
 * @param {string} id
 */
function presenceOf (id) {
  const presence = document.getElementById(`document-${id}`)?.querySelector('.presence')?.textContent?.trim()
  return presence?.replace(/^\S*\s(?=\S)/, '') ?? ''
}

/** @param {ReadonlyArray<{ name: string }>} documents */
function textOf (documents) {
  return documents.length === 1 ? documents[0]?.name ?? '' : `${documents.length} documents`
}

/** @param {ReadonlyArray<{ id: string, name: string }>} documents */
export async function restore (documents) {
  await attempt(async () => {
    for (const { id } of documents) await send('POST', `/documents/${id}/restore`)
    await refresh()
    tell(`${textOf(documents)} restored`)
    show(documents[0]?.id ?? '')
  }, `${textOf(documents)} not restored`)
}

/**
 * @param {string} id
 * @param {string} name
 */
export function purge (id, name) {
  ask('purge', {
    title: `Delete ${name} for good?`,
    async run () {
      await send('POST', `/documents/${id}/purge`)
      await refresh()
      tell(`${name} was deleted for good`)
      setTimeout(() => /** @type {HTMLElement} */ (document.querySelector('.bin summary') ?? list).focus())
    }
  })
}

/**
 * Moves the focus to a document.
 * @param {string} id
 */
export function show (id) {
  const row = document.getElementById(`document-${id}`)
  for (const other of list.querySelectorAll('.new')) other.classList.remove('new')
  row?.classList.add('new')
  row?.scrollIntoView({ block: 'nearest' })
  row?.querySelector('a')?.focus()
}

/**
 * @param {() => Promise<void>} run
 * @param {string} failure
 */
async function attempt (run, failure) {
  try {
    await run()
  } catch (error) {
    tell(`${failure}: ${/** @type {Error} */ (error).message}`, { kind: 'failed' })
  }
}
