import type { Element } from '@xmldom/xmldom'
import { openPackage } from '../office/package.js'
import { nodes, proseDocument } from '../prose/prose.js'
import type { Editable } from '../types.js'
import { imagesOf } from './images.js'
import { MAIN_PART, readWord } from './read.js'
import { writtenWord } from './write.js'

/** A .docx whose text is edited in place. Every other part, and every paragraph that is not edited, stays unchanged. */
export function wordDocument (original: Uint8Array): Editable {
  const office = openPackage(original)
  const images = imagesOf(office)
  const added = new Map<string, Element>()
  const { doc, styles } = readWord(office)
  return proseDocument(original, {
    doc,
    levels: Object.fromEntries(Array.from(styles.levels, ([level, id]) => [level, styles.paragraphColor(id)])),
    picture (bytes) {
      const { run, src, width, height } = images.add(bytes)
      const ref = `inserted${added.size + 1}`
      added.set(ref, run)
      return nodes.image!.create({ ref, src, width, height })
    },
    write: doc => office.withParts(new Map([[MAIN_PART, writtenWord(office, doc, added)], ...images.parts()]))
  })
}
