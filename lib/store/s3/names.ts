import { FORBIDDEN_CHARACTERS } from '../../security/names.js'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type ObjectNames = ReturnType<typeof objectNames>

/**
 * The keys of all objects in a bucket. A prefix may contain another one: whatever their prefixes are, no key of one
 * storage has the form of another one's key in the same folder.
 */
export function objectNames (prefix: string) {
  const [records, contents] = [`${prefix}records/`, `${prefix}contents/`]
  return {
    records,
    contents,
    mark: `${prefix}fastify-onlyoffice.mark`,

    record: (fileId: string) => `${records}${encode(fileId)}.json`,

    /** Key of an immutable object of a document: a content, the changes of a version, or its details. */
    content: (fileId: string, name: string) => `${contents}${encode(fileId)}/${name}`,

    /** Returns `undefined` for the key of anything else. */
    parseRecord: (key: string) =>
      key.startsWith(records) && key.endsWith('.json') ? decode(key.slice(records.length, -'.json'.length)) : undefined,

    /**
     * Returns `undefined` for a key that this library cannot have made. Such objects are never deleted, because other
     * programs may use the bucket.
     */
    parseContent (key: string) {
      if (!key.startsWith(contents)) return undefined
      const [folder = '', name = '', ...more] = key.slice(contents.length).split('/')
      const fileId = decode(folder)
      return more.length === 0 && UUID.test(name) && fileId !== undefined ? { fileId, name } : undefined
    }
  }
}

/** A fileId as a part of a key that needs no encoding in a URL. */
function encode (fileId: string): string {
  return fileId.replace(
    /[^A-Za-z0-9.-]+/g,
    text => [...Buffer.from(text)].map(byte => `_${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
  )
}

function decode (text: string): string | undefined {
  const bytes = text.replace(/_([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const fileId = Buffer.from(bytes, 'latin1').toString('utf8')
  return fileId !== '' && !FORBIDDEN_CHARACTERS.test(fileId) && encode(fileId) === text ? fileId : undefined
}
