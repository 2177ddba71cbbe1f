import { emit } from '../embedding-page.js'
import { download, getOpened } from '../session.js'
import { isSlides, mayWrite } from './conditions.js'
import { askUser } from './dialog.js'
/** @import { Feature } from './features.js' */

const FORMATS = /** @type {Record<string, string[]>} */ ({
  grid: ['xlsx', 'ods', 'csv', 'pdf', 'jpg', 'png'],
  prose: ['docx', 'odt', 'rtf', 'txt', 'html', 'pdf', 'jpg', 'png']
})

/** @type {Feature} */
export const naming = {
  items: [
    { name: 'Save copy as…', event: 'onRequestSaveAs', when: ({ mayDownload }) => mayDownload, click: saveAs },
    { name: 'Rename…', event: 'onRequestRename', when: mayWrite, click: rename }
  ]
}

async function saveAs () {
  const opened = getOpened()
  if (opened === null) return
  const { fileType, content } = opened
  const formats = [...new Set([fileType, ...(isSlides(fileType) ? undefined : FORMATS[content.kind]) ?? ['pdf']])]
  const format = await askUser({ title: 'Save a copy', field: { label: 'Format', value: fileType, options: formats } })
  const file = format === null ? null : await download(format)
  if (file !== null) {
    emit('onRequestSaveAs', {
      url: file.url,
      title: `${bareTitle(opened.title)}.${file.fileType}`,
      fileType: file.fileType
    })
  }
}

async function rename () {
  const title = bareTitle(getOpened()?.title ?? '')
  const name = await askUser({ title: 'Rename the document', field: { label: 'Name', value: title } })
  if (name !== null && name.trim() !== '' && name !== title) emit('onRequestRename', name.trim())
}

/** @param {string} title */
function bareTitle (title) {
  return title.replace(/\.\w+$/, '')
}
