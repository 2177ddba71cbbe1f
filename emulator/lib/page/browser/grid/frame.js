/** The elements around the cells. */
export function gridFrame () {
  const box = document.createElement('div')
  box.className = 'grid'
  box.setAttribute('role', 'group')
  box.setAttribute('aria-label', 'Workbook')
  box.innerHTML = `
    <div class="grid-bar" role="group" aria-label="Cell">
      <output class="grid-name" aria-label="Cell"></output>
      <textarea class="grid-formula" rows="1" wrap="off" spellcheck="false" autocomplete="off"
        aria-label="Content of the cell"></textarea>
      <span class="grid-hint" role="status" hidden>An office suite calculates this value when it opens the file</span>
    </div>
    <div class="grid-place"></div>
    <p class="grid-note"></p>
    <div class="grid-tabs" role="tablist" aria-label="Sheets"></div>`
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (box.querySelector(`.grid-${name}`))
  return {
    box,
    name: part('name'),
    bar: /** @type {HTMLTextAreaElement} */ (part('formula')), // keeps line breaks
    hint: part('hint'),
    place: part('place'),
    note: part('note'),
    tabs: part('tabs')
  }
}
