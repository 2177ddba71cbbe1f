import { WHOLE_TEXT } from './content.js'
import { movedOffset } from './merge.js'
/** @import { Outbox, View } from '../protocol.js' */

/**
 * Shows a text file in a monospaced text area. Places in it are line numbers.
 *
 * @param {HTMLElement} container
 * @param {string} text
 * @param {boolean} viewOnly
 * @param {Outbox} outbox
 * @returns {View}
 */
export function textView (container, text, viewOnly, outbox) {
  const area = document.createElement('textarea')
  area.dataset.text = ''
  area.value = text
  area.readOnly = viewOnly
  area.spellcheck = false
  area.setAttribute('aria-label', 'Text of the document')
  area.addEventListener('input', () => outbox.changed(WHOLE_TEXT, area.value))
  const places = document.createElement('p')
  places.className = 'places'
  places.hidden = true
  const box = document.createElement('div')
  box.className = 'text-box'
  box.append(places, area)
  container.replaceChildren(box)

  return {
    ids: () => [WHOLE_TEXT],
    previous: () => undefined,
    put (id, next) {
      if (next === area.value) return
      const { value, selectionStart, selectionEnd, scrollTop } = area
      area.value = next
      area.setSelectionRange(movedOffset(selectionStart, value, next), movedOffset(selectionEnd, value, next))
      area.scrollTop = scrollTop
    },
    drop () {},
    marks: () => [],
    format () {},
    focus (id, offset) {
      area.focus()
      area.setSelectionRange(offset, offset)
    },
    place: () =>
      document.activeElement === area ? String(area.value.slice(0, area.selectionStart).split('\n').length) : null,
    mark (marks) {
      places.hidden = marks.size === 0
      places.replaceChildren(...[...marks].map(([line, { name, color }]) => {
        const item = document.createElement('span')
        item.dataset.color = String(color)
        item.textContent = `${name}: line ${line}`
        return item
      }))
    },
    caret () {
      const [hadFocus, { value, selectionStart, selectionEnd }] = [document.activeElement === area, area]
      return () => {
        const now = container.querySelector('textarea')
        if (!hadFocus || now === null) return
        now.focus()
        now.setSelectionRange(
          movedOffset(selectionStart, value, now.value),
          movedOffset(selectionEnd, value, now.value)
        )
      }
    }
  }
}
