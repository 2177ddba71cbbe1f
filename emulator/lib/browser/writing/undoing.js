import { hasFormat, withFormat } from './marks.js'
import { changes, movedOffset } from './merge.js'
/** @import { createHistory, State, Step } from './history.js' */
/** @import { createReplica } from './replica.js' */
/** @import { Formatting, Mark, View } from '../protocol.js' */

/**
 * Undoes or redoes a step without touching what others have done since. Returns false when nothing of the step is left.
 *
 * @param {Step} step
 * @param {ReturnType<typeof createHistory>} history
 * @param {ReturnType<typeof createReplica>} replica
 * @param {View} view
 * @returns {boolean}
 */
export function revert (step, history, replica, view) {
  const { ids, pair, anchors, formats } = step
  /** @type {Array<[id: string, offset: number]>} */ const carets = []
  const [back, away] = step.isDone ? [step.removed, [...step.inserted].reverse()] : [step.inserted, step.removed]

  /** @param {string} id @param {State} next */
  function change (id, next) {
    const now = replica.textOf(id) ?? ''
    if (now === next.text) return
    const joins = pair?.first === id && away.includes(pair.second) ? { joins: pair.second } : {}
    replica.changed(id, next.text, { marks: next.marks, ...joins })
    view.put(id, next.text)
    view.format(id, next.text, next.marks)
    carets.push([id, next.text.length - (now.length - (changes(now, next.text).at(-1)?.to ?? 0))])
  }

  /** @param {string} id */
  function remove (id) {
    const before = anchorsOf(id, view)
    anchors.set(id, before)
    replica.removed(id)
    view.drop(id)
    if (before[0] !== undefined) carets.push([before[0], replica.textOf(before[0])?.length ?? 0])
  }

  /** @param {string} id @param {State} next */
  function bringBack (id, next) {
    const shown = new Set(view.ids())
    const after = anchors.get(id)?.find(anchor => shown.has(anchor)) ?? ''
    anchors.delete(id)
    replica.inserted(id, after, next.text, { marks: next.marks })
    view.put(id, next.text, after)
    view.format(id, next.text, next.marks)
    carets.push([id, next.text.length])
  }

  /** @param {Step['formats'][number]} format */
  function format ({ id, before, formatting }) {
    const now = replica.textOf(id)
    if (now === undefined) return
    let marks = view.marks(id)
    for (const part of partsOf(formatting, before.marks)) {
      const [from, to] = [movedOffset(part.from, before.text, now), movedOffset(part.to, before.text, now)]
      if (from >= to) continue
      const moved = { ...part, from, to, value: step.isDone ? part.value : !part.value }
      replica.formatted(id, moved)
      marks = withFormat(marks, now.length, from, to, moved.format, moved.value)
      carets.push([id, to])
    }
    view.format(id, now, marks)
  }

  const found = [...ids].flatMap(id => {
    history.merged(id, replica.textOf(id) ?? '') // it may have come back with text by others
    const after = history.segments(id)?.before(replica.textOf(id) === undefined ? [] : view.marks(id))
    return after === undefined ? [] : [{ id, after }]
  })
  step.isDone = !step.isDone
  const states = new Map(found.map(({ id, after }) => [id, after()]))
  // Before the changes, so that joined paragraphs still exist.
  for (const id of back) {
    if (anchors.has(id) && replica.textOf(id) === undefined) bringBack(id, states.get(id) ?? { text: '', marks: [] })
  }
  for (const [id, next] of states) {
    if (replica.textOf(id) !== undefined && (next.text !== '' || !away.includes(id))) change(id, next)
  }
  for (const id of away) if (replica.textOf(id) !== undefined && states.get(id)?.text === '') remove(id)
  for (const one of formats) format(one)
  const caret = carets.at(-1)
  if (caret !== undefined) view.focus(...caret)
  return caret !== undefined
}

/** @param {string} id @param {View} view */
export function anchorsOf (id, view) {
  /** @type {string[]} */ const anchors = []
  for (let before = view.previous(id); before !== undefined; before = view.previous(before)) anchors.push(before)
  return anchors
}

/**
 * The parts that the formatting really changed.
 * @param {Formatting} formatting
 * @param {readonly Mark[]} marks the previous ones
 * @returns {Formatting[]}
 */
function partsOf (formatting, marks) {
  const { from: start, to: end, format, value } = formatting
  const cuts = marks.flatMap(mark => [mark.from, mark.to]).filter(at => start < at && at < end)
  const edges = [...new Set([start, ...cuts, end])].sort((a, b) => a - b)
  return edges.slice(1)
    .map((to, index) => ({ ...formatting, from: edges[index] ?? start, to }))
    .filter(({ from, to }) => hasFormat(marks, from, to, format) !== value)
}
