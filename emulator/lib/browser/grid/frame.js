import { element } from './table.js'

/** The elements around the cells. @param {boolean} viewOnly */
export function gridFrame (viewOnly) {
  const box = element('grid', 'group')
  box.setAttribute('aria-label', 'Workbook')
  const [name, scroller] = [document.createElement('output'), element('grid-scroll', 'grid')]
  const bar = document.createElement('textarea') // keeps line breaks
  const hint = document.createElement('span')
  const [note, tabs] = [document.createElement('p'), element('grid-tabs', 'tablist')]
  name.className = 'grid-name'
  name.setAttribute('aria-label', 'Cell')
  Object.assign(bar, {
    className: 'grid-formula',
    rows: 1,
    wrap: 'off',
    spellcheck: false,
    autocomplete: 'off',
    readOnly: viewOnly
  })
  bar.setAttribute('aria-label', 'Content of the cell')
  scroller.tabIndex = 0
  scroller.setAttribute('aria-readonly', String(viewOnly))
  hint.className = 'grid-hint'
  hint.setAttribute('role', 'status')
  hint.textContent = 'An office suite calculates this value when it opens the file'
  note.className = 'grid-note'
  tabs.setAttribute('aria-label', 'Sheets')
  const top = element('grid-bar', 'group')
  top.setAttribute('aria-label', 'Cell')
  top.append(name, bar, hint)
  box.append(top, scroller, note, tabs)
  return { box, name, bar, hint, scroller, note, tabs }
}
