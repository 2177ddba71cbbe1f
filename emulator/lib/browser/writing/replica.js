import { idsOf, mergedTexts, textsOf, WHOLE_TEXT, withTexts } from './content.js'
import { applied, changes, merge, rebased } from './merge.js'
import { createPending } from './pending.js'
/** @import { Hint } from './pending.js' */
/** @import { Content, Formatting, Operation, View } from '../protocol.js' */

/**
 * The page's copy of a document. It knows three texts of every paragraph: the displayed one, the document server's, and
 * the one on its way there. Edits by others are merged into the displayed text, so that nothing typed here is lost.
 * Only one batch of edits is on its way at a time.
 */
export function createReplica () {
  /** @type {Map<string, string>} */ let known = new Map()
  /** @type {string[]} All paragraphs that the document server has. */ let order = []
  /** @type {Map<string, string>} */ let local = new Map()
  /** @type {Map<string, string>} Removed paragraphs are `''`. */ const sent = new Map()
  /** @type {Map<string, string>} The server's texts of paragraphs removed here. */ const removals = new Map()
  /** @type {Map<string, string>} The paragraph after which each new one was inserted here. */ const anchors = new Map()
  /** @type {Set<string>} */ const dirty = new Set()
  const pending = createPending()
  /** @type {View | null} */ let view = null
  let isText = false
  let inFlight = false

  const atServer = (/** @type {string} */ id) => sent.get(id) ?? known.get(id)

  /** @param {string} id @param {string} text @param {string} [after] */
  function show (id, text, after) {
    if (local.get(id) === text && after === undefined) return
    local.set(id, text)
    removals.delete(id)
    view?.put(id, text, after)
  }

  /**
   * The displayed paragraph before this one. The server may have others in between that were removed here.
   * @param {string} id
   */
  function anchorOf (id) {
    return order.slice(0, order.indexOf(id)).findLast(before => local.has(before) || !known.has(before)) ?? ''
  }

  /**
   * The displayed text once the server has `next`; `undefined` when the paragraph was removed here.
   * @param {string} id
   * @param {string} next
   * @param {boolean} own
   */
  function settled (id, next, own) {
    const [before, flight, mine] = [known.get(id) ?? '', sent.get(id), local.get(id)]
    const base = flight ?? before
    const made = flight === undefined || own
      ? changes(base, next)
      : rebased(changes(before, next), changes(before, flight))
    if (own) sent.delete(id)
    else if (flight !== undefined) sent.set(id, applied(flight, made))
    if (mine === undefined) return undefined
    const moved = rebased(made, changes(base, mine))
    return { text: applied(mine, moved), moved }
  }

  /** @param {string} id @param {string} next @param {boolean} own */
  function receiveText (id, next, own) {
    const now = settled(id, next, own)
    known.set(id, next)
    if (now !== undefined) show(id, now.text)
    // Somebody wrote into a paragraph that was removed here: it comes back.
    else if (own && !dirty.has(id)) show(id, next, anchorOf(id))
    return now?.moved
  }

  /** @param {string} id @param {string} after @param {string} next @param {boolean} own */
  function receiveInsert (id, after, next, own) {
    const text = settled(id, next, own)?.text ?? (own ? undefined : next)
    known.set(id, next)
    order.splice(order.indexOf(after) + 1, 0, id)
    if (text !== undefined) show(id, text, anchorOf(id))
  }

  /** @param {string} id @param {boolean} own */
  function receiveRemoval (id, own) {
    const after = view?.previous(id)
    const text = settled(id, '', own)?.text
    known.delete(id)
    order = order.filter(other => other !== id)
    if (text === undefined) {
      removals.delete(id)
    } else if (text === '') {
      local.delete(id)
      view?.drop(id)
    } else {
      if (after !== undefined) anchors.set(id, after)
      dirty.add(id) // the text typed here stays, as a new paragraph
      show(id, text)
    }
  }

  return {
    /** @param {Content} content @param {View} shownIn */
    attach (content, shownIn) {
      view = shownIn
      isText = content.kind === 'text'
      if (known.size > 0) return
      known = textsOf(content)
      order = idsOf(content)
      local = new Map(known)
    },
    /** @param {string} id @param {string} text @param {Omit<Hint, 'text'>} [hint] */
    changed (id, text, hint) {
      local.set(id, text)
      dirty.add(id)
      if (hint !== undefined) pending.hint(id, { ...hint, text })
    },
    /** @param {string} id @param {string} after @param {string} text @param {Omit<Hint, 'text'>} [hint] */
    inserted (id, after, text, hint) {
      anchors.set(id, after)
      removals.delete(id)
      this.changed(id, text, hint)
    },
    /** @param {string} id @param {Formatting} formatting */
    formatted: (id, formatting) => pending.format(id, local.get(id) ?? '', formatting),
    /** The displayed text. @param {string} id */
    textOf: id => local.get(id),
    /** @param {string} id */
    removed (id) {
      removals.set(id, atServer(id) ?? '')
      local.delete(id)
      dirty.add(id)
    },
    isSending: () => inFlight,
    isUnsent: () => inFlight || dirty.size > 0 || !pending.isEmpty(),
    /** Typed text that may not have arrived. */
    unsentTexts: () => [...new Set([...sent.keys(), ...dirty])].flatMap(id => local.get(id) || []),

    /**
     * Takes the unsent edits. New paragraphs come first, while the paragraphs they were split from still exist.
     * @returns {Operation[]}
     */
    take () {
      const order = new Map((view?.ids() ?? []).map((id, index) => [id, index]))
      const ids = [...dirty].sort((a, b) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity) || 0)
      dirty.clear()
      /** @type {[Operation[], Operation[]]} */ const [insertions, operations] = [[], []]
      for (const id of ids) {
        const [text, base] = [local.get(id), atServer(id)]
        if (text === base) continue
        if (isText && text !== undefined) operations.push({ op: 'text', text, base: base ?? '' })
        else if (text === undefined) operations.push({ op: 'remove', id, base: removals.get(id) ?? '' })
        else if (base !== undefined) {
          operations.push({ op: 'set', id, text, base, ...pending.takeHint(id, text, 'joins') })
        } else {
          insertions.push({
            op: 'insert',
            id,
            after: view?.previous(id) ?? anchors.get(id) ?? '',
            text,
            ...pending.takeHint(id, text, 'splits')
          })
        }
        sent.set(id, text ?? '')
      }
      operations.push(...pending.takeFormats(id => local.get(id)))
      inFlight ||= insertions.length + operations.length > 0
      return [...insertions, ...operations]
    },

    /**
     * Applies an operation of the document server, made by this page (`own`) or by another. Returns the changes to a
     * text here.
     * @param {Operation} operation
     * @param {boolean} own
     */
    apply (operation, own) {
      if (operation.op === 'text') return receiveText(WHOLE_TEXT, operation.text, own)
      if (operation.op === 'set') return receiveText(operation.id, operation.text, own)
      if (operation.op === 'insert') receiveInsert(operation.id, operation.after, operation.text, own)
      if (operation.op === 'remove') receiveRemoval(operation.id, own)
      return undefined
    },

    /**
     * The batch was processed. Edits that the document server did not make (characters that XML can't contain) are
     * reverted here, too.
     */
    received () {
      inFlight = false
      pending.received()
      for (const [id, text] of sent) {
        const [mine, theirs] = [local.get(id), known.get(id)]
        sent.delete(id)
        if (theirs === undefined) {
          if (mine !== undefined) dirty.add(id)
        } else if (mine !== undefined) show(id, merge(text, theirs, mine))
        else show(id, theirs, anchorOf(id))
      }
    },

    /**
     * Takes over the whole document after the connection was cut or the document was replaced. Returns what to show.
     *
     * @param {Content} content
     * @param {boolean} arrived whether it contains what was on its way
     * @returns {Content}
     */
    resync (content, arrived) {
      const texts = textsOf(content)
      const baseOf = (/** @type {string} */ id) => (arrived ? sent.get(id) : undefined) ?? known.get(id)
      const merged = mergedTexts(isText ? [WHOLE_TEXT] : view?.ids() ?? [], texts, baseOf, local)
      local = merged.texts
      for (const [id, text] of texts) {
        if (local.has(id)) continue
        const isRemoved = removals.has(id) && !(arrived && sent.has(id))
        if (!isRemoved) local.set(id, text)
      }
      known = texts
      order = idsOf(content)
      pending.cut(arrived)
      sent.clear()
      dirty.clear()
      inFlight = false
      for (const id of new Set([...known.keys(), ...local.keys()])) if (local.get(id) !== known.get(id)) dirty.add(id)
      for (const id of removals.keys()) if (!dirty.has(id)) removals.delete(id)

      return withTexts(content, local, merged.kept)
    }
  }
}
