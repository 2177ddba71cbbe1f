/** @import { Paragraph } from './protocol.js' */

const SHEETS = ['xlsx', 'ods', 'xls', 'xlsm']
const SLIDES = ['pptx', 'odp', 'ppt', 'pptm']

/**
 * The text of a read-only document: sheets as tables, slides one by one, everything else as a page.
 *
 * @param {HTMLElement} container
 * @param {Paragraph[]} paragraphs
 * @param {string} fileType
 */
export function readingView (container, paragraphs, fileType) {
  const pages = split(paragraphs)
  if (paragraphs.length === 0) return container.replaceChildren(nothing(fileType))
  if (SHEETS.includes(fileType)) {
    return container.replaceChildren(...pages.map((rows, index) => sheet(rows, `Sheet ${index + 1}`)))
  }
  if (SLIDES.includes(fileType)) {
    return container.replaceChildren(...pages.map((lines, index) => slide(lines, `Slide ${index + 1}`)))
  }
  container.replaceChildren(page(paragraphs))
}

/** @param {Paragraph[]} paragraphs */
function split (paragraphs) {
  /** @type {Paragraph[][]} */
  const pages = [[]]
  for (const paragraph of paragraphs) {
    if (paragraph.newPage) pages.push([])
    pages.at(-1)?.push(paragraph)
  }
  return pages
}

/** @param {Paragraph[]} rows @param {string} name */
function sheet (rows, name) {
  const table = document.createElement('table')
  const caption = table.createCaption()
  caption.textContent = name
  const cells = rows.map(({ text }) => text.split('\t'))
  const width = Math.max(...cells.map(row => row.length))
  for (const row of cells) {
    const line = table.insertRow()
    for (let column = 0; column < width; column++) {
      const text = row[column] ?? ''
      const cell = line.insertCell()
      cell.textContent = text
      cell.classList.toggle('number', text !== '' && Number.isFinite(Number(text)))
    }
  }
  const box = document.createElement('section')
  box.className = 'sheet'
  box.tabIndex = 0 // lets the keyboard scroll a wide table
  box.setAttribute('aria-label', name)
  box.append(table)
  return box
}

/** @param {Paragraph[]} lines @param {string} name */
function slide (lines, name) {
  const box = page(lines)
  box.classList.add('slide')
  box.dataset.name = name
  box.setAttribute('aria-label', name)
  return box
}

/** @param {Paragraph[]} paragraphs */
function page (paragraphs) {
  const paper = document.createElement('article')
  paper.className = 'paper'
  paper.append(...paragraphs.map(({ id, text, level }) => {
    const element = document.createElement(level === undefined ? 'p' : `h${Math.max(level, 1)}`)
    element.dataset.fixed = id
    element.textContent = text
    return element
  }))
  return paper
}

/** @param {string} fileType */
function nothing (fileType) {
  const text = document.createElement('p')
  text.className = 'nothing'
  text.textContent = `This ${fileType} file has no text to show. It can still be downloaded.`
  return text
}
