import type { Element } from '@xmldom/xmldom'
import type { OfficePackage } from '../office/package.js'
import { RELATIONSHIPS } from '../office/relations.js'
import { parseXml } from '../office/xml.js'
import { WORD } from './styles.js'

const RELATIONS_PART = 'word/_rels/document.xml.rels'
const TYPES_PART = '[Content_Types].xml'
const EMPTY_RELATIONS = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>'

const EMU_PER_PIXEL = 9525
const MAX_WIDTH = 600

/** In CSS pixels. */
interface Size {
  readonly width: number
  readonly height: number
}

interface Picture extends Size {
  readonly extension: 'png' | 'jpeg' | 'gif'
}

interface AddedPicture extends Size {
  readonly run: Element
  /** A data URL. */
  readonly src: string
}

/** The pictures that are added to a document, with the parts that they need. */
export function imagesOf (office: OfficePackage) {
  const added = new Map<string, Uint8Array>()
  let relations = office.text(RELATIONS_PART) ?? EMPTY_RELATIONS
  let types = office.text(TYPES_PART) ?? ''

  /** The media name is unique in the package, and so is an id made of it. */
  function relate (name: string): string {
    const id = `rId_${name.replace('.', '_')}`
    const relation = `<Relationship Id="${id}" Type="${RELATIONSHIPS}/image" Target="media/${name}"/>`
    relations = relations.replace(/<\/Relationships>\s*$/, `${relation}$&`)
    return id
  }

  function declare (extension: string): void {
    if (new RegExp(`Extension="${extension}"`, 'i').test(types)) return
    types = types.replace(/<Types\b[^>]*>/, `$&<Default Extension="${extension}" ContentType="image/${extension}"/>`)
  }

  function freeName (extension: string): string {
    for (let number = added.size + 1; ; number++) {
      const name = `inserted${number}.${extension}`
      if (!office.parts.has(`word/media/${name}`) && !added.has(`word/media/${name}`)) return name
    }
  }

  return {
    /** A new run with the picture. Throws a `TypeError` if the bytes are no picture. */
    add (bytes: Uint8Array): AddedPicture {
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      const picture = pictureOf(content)
      if (picture === null) throw new TypeError('The file is no PNG, JPEG or GIF image')
      const name = freeName(picture.extension)
      added.set(`word/media/${name}`, bytes)
      declare(picture.extension)
      const scale = Math.min(1, MAX_WIDTH / picture.width)
      const size = { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) }
      return {
        run: parseXml(drawing(relate(name), name, added.size, size)).documentElement!,
        src: `data:image/${picture.extension};base64,${content.toString('base64')}`,
        ...size
      }
    },
    /** The new and changed parts, by name. */
    parts (): ReadonlyMap<string, string | Uint8Array> {
      if (added.size === 0) return added
      return new Map<string, string | Uint8Array>([...added, [RELATIONS_PART, relations], [TYPES_PART, types]])
    }
  }
}

function drawing (relation: string, name: string, number: number, { width, height }: Size): string {
  const size = `cx="${width * EMU_PER_PIXEL}" cy="${height * EMU_PER_PIXEL}"`
  const properties = `id="${100_000 + number}" name="${name}"`
  const main = 'http://schemas.openxmlformats.org/drawingml/2006/main'
  const picture = 'http://schemas.openxmlformats.org/drawingml/2006/picture'
  return `<w:r xmlns:w="${WORD}"><w:drawing>` +
    '<wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"' +
    ` distT="0" distB="0" distL="0" distR="0"><wp:extent ${size}/><wp:docPr ${properties}/>` +
    `<a:graphic xmlns:a="${main}"><a:graphicData uri="${picture}"><pic:pic xmlns:pic="${picture}">` +
    `<pic:nvPicPr><pic:cNvPr ${properties}/><pic:cNvPicPr/></pic:nvPicPr>` +
    `<pic:blipFill><a:blip xmlns:r="${RELATIONSHIPS}" r:embed="${relation}"/>` +
    '<a:stretch><a:fillRect/></a:stretch></pic:blipFill>' +
    `<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${size}/></a:xfrm>` +
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>' +
    '</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
}

/** By the first bytes of the file. */
function pictureOf (bytes: Buffer): Picture | null {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return valid('png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
  }
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8') {
    return valid('gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8))
  }
  if (bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8) return jpeg(bytes)
  return null
}

/** The size is in the segment that starts the frame. */
function jpeg (bytes: Buffer): Picture | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return valid('jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
  }
  return null
}

function valid (extension: Picture['extension'], width: number, height: number): Picture | null {
  return width > 0 && height > 0 ? { extension, width, height } : null
}
