/** @typedef {{ id: string, before: string, after: string }} Change */

/** The undo steps of this page. Undo does not touch a cell that somebody else has set since. */
export function createGridHistory () {
  /** @type {Change[][]} */ let done = []
  /** @type {Change[][]} */ let undone = []

  /** @param {(change: Change) => boolean} isKept */
  function keep (isKept) {
    const rest = (/** @type {Change[][]} */ steps) =>
      steps.map(step => step.filter(isKept)).filter(step => step.length > 0)
    done = rest(done)
    undone = rest(undone)
  }

  return {
    /** @param {Change[]} step */
    record (step) {
      done.push(step)
      undone = []
    },
    /** The changes to make. @param {'undo' | 'redo'} direction @returns {Array<[id: string, value: string]>} */
    take (direction) {
      const step = (direction === 'undo' ? done : undone).pop() ?? []
      if (step.length > 0) (direction === 'undo' ? undone : done).push(step)
      return step.map(({ id, before, after }) => [id, direction === 'undo' ? before : after])
    },
    /** @param {'undo' | 'redo'} direction */
    has: direction => (direction === 'undo' ? done : undone).length > 0,
    /** Somebody else has set a cell. @param {string} id */
    overtaken: id => keep(change => change.id !== id),
    /** Another document. @param {(id: string) => string} valueOf */
    check (valueOf) {
      const seen = new Set()
      const gone = new Set()
      for (const { id, after } of [...done].reverse().flat()) {
        if (!seen.has(id) && valueOf(id) !== after) gone.add(id)
        seen.add(id)
      }
      keep(({ id }) => !gone.has(id))
    },
    /** What the document server has made of a value typed here. @param {string} id @param {string} value */
    settled (id, value) {
      const last = done.flat().findLast(change => change.id === id)
      if (last !== undefined) last.after = value
    }
  }
}
