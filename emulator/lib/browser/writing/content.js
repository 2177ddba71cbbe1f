import { movedMarks } from './marks.js'
import { merge } from './merge.js'
/** @import { Content, Paragraph } from '../protocol.js' */

/** The paragraph id of a text file's whole text. */
export const WHOLE_TEXT = ''

/**
 * Returns the document with other texts.
 *
 * @param {Content} content
 * @param {Map<string, string>} texts of the editable paragraphs; paragraphs without one are removed
 * @param {Map<string, Paragraph[]>} kept additional paragraphs, by the paragraph they follow
 * @returns {Content}
 */
export function withTexts (content, texts, kept) {
  if (content.kind === 'text') return { kind: 'text', text: texts.get(WHOLE_TEXT) ?? '' }
  const paragraphs = content.paragraphs.flatMap(paragraph => {
    if (!paragraph.editable) return paragraph
    const text = texts.get(paragraph.id)
    const shown = text === undefined
      ? []
      : [{ ...paragraph, text, marks: movedMarks(paragraph.marks ?? [], paragraph.text, text) }]
    return [...shown, ...kept.get(paragraph.id) ?? []]
  })
  return { ...content, paragraphs: [...kept.get('') ?? [], ...paragraphs] }
}

/** The editable texts, by id. @param {Content} content @returns {Map<string, string>} */
export function textsOf (content) {
  if (content.kind === 'text') return new Map([[WHOLE_TEXT, content.text]])
  return new Map(content.paragraphs.flatMap(({ id, text, editable }) => editable ? [[id, text]] : []))
}

/** @param {Content} content */
export function idsOf (content) {
  return content.kind === 'text' ? [WHOLE_TEXT] : content.paragraphs.map(({ id }) => id)
}

/**
 * Merges the displayed texts with those of the document server.
 *
 * @param {string[]} shown ids, in order
 * @param {Map<string, string>} texts of the document server
 * @param {(id: string) => string | undefined} baseOf the document server's previous text
 * @param {Map<string, string>} mine
 */
export function mergedTexts (shown, texts, baseOf, mine) {
  /** @type {Map<string, string>} */ const merged = new Map()
  /** @type {Map<string, Paragraph[]>} Paragraphs that only this page has, by the paragraph they follow. */ const kept =
    new Map()
  let last = ''
  for (const id of shown) {
    const base = baseOf(id)
    const theirs = texts.get(id)
    const text = merge(base ?? '', theirs ?? '', mine.get(id) ?? '', true)
    if (theirs === undefined && base !== undefined && text === '') continue
    merged.set(id, text)
    if (theirs === undefined) kept.set(last, [...kept.get(last) ?? [], { id, text, editable: true }])
    else last = id
  }
  return { texts: merged, kept }
}
