/**
 * The tabs of a workbook's sheets.
 *
 * @param {HTMLElement} list
 * @param {string[]} names
 * @param {(name: string) => void} choose
 */
export function gridTabs (list, names, choose) {
  const tabs = new Map(names.map(name => [name, tabOf(name)]))
  list.replaceChildren(...tabs.values())
  list.hidden = names.length < 2
  list.addEventListener('keydown', event => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const index = names.findIndex(name => tabs.get(name) === document.activeElement)
    const next = names[index + step]
    if (step === 0 || index === -1 || next === undefined) return
    event.preventDefault()
    choose(next)
    tabs.get(next)?.focus()
  })

  /** @param {string} name */
  function tabOf (name) {
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.className = 'grid-tab'
    tab.setAttribute('role', 'tab')
    tab.dataset.sheet = name
    tab.textContent = name
    tab.addEventListener('click', () => choose(name))
    return tab
  }

  return {
    /** @param {string} selected */
    select (selected) {
      for (const [name, tab] of tabs) {
        tab.setAttribute('aria-selected', String(name === selected))
        tab.tabIndex = name === selected ? 0 : -1
      }
      tabs.get(selected)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    },
    /** Marks the sheets that others are in. @param {ReadonlyMap<string, { name: string, color: number }>} marks */
    mark (marks) {
      for (const [name, tab] of tabs) {
        const mark = marks.get(name)
        tab.classList.toggle('marked', mark !== undefined)
        tab.title = mark === undefined ? '' : `${mark.name} is here`
        if (mark === undefined) delete tab.dataset.color
        else tab.dataset.color = String(mark.color)
      }
    }
  }
}
