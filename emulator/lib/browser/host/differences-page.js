import { differences } from './differences.js'

/**
 * Shows a text, with what was added and removed marked.
 * @param {string[] | null} before without one, nothing is marked
 * @param {string[]} after
 */
export function differencesPage (before, after) {
  const paper = document.createElement('article')
  paper.className = 'paper compared'
  paper.append(...differences(before ?? after, after).map(({ text, change }) => {
    const line = document.createElement('p')
    if (change === 'same') {
      line.textContent = text
    } else {
      const mark = document.createElement(change === 'added' ? 'ins' : 'del')
      mark.textContent = text
      line.append(mark)
    }
    return line
  }))
  return paper
}
