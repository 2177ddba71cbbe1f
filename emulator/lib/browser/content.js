/** @import { Content, Paragraph } from './protocol.js' */

/** What a text file has in the place of a paragraph's id. */
export const WHOLE_TEXT = ''

/**
 * A document with other texts.
 *
 * @param {Content} content
 * @param {Map<string, string>} texts of the editable paragraphs; one that has none is left out
 * @param {Map<string, Paragraph[]>} kept further paragraphs, by the one they stand behind
 * @returns {Content}
 */
export function withTexts (content, texts, kept) {
  if (content.kind === 'text') return { kind: 'text', text: texts.get(WHOLE_TEXT) ?? '' }
  const paragraphs = content.paragraphs.flatMap(paragraph => {
    if (!paragraph.editable) return paragraph
    const text = texts.get(paragraph.id)
    return [...text === undefined ? [] : [{ ...paragraph, text }], ...kept.get(paragraph.id) ?? []]
  })
  return { ...content, paragraphs: [...kept.get('') ?? [], ...paragraphs] }
}

/** What can be edited, by id. @param {Content} content @returns {Map<string, string>} */
export function textsOf (content) {
  if (content.kind === 'text') return new Map([[WHOLE_TEXT, content.text]])
  return new Map(content.paragraphs.flatMap(({ id, text, editable }) => editable ? [[id, text]] : []))
}

/** @param {Content} content */
export function idsOf (content) {
  return content.kind === 'text' ? [WHOLE_TEXT] : content.paragraphs.map(({ id }) => id)
}
