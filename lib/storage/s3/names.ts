import { FORBIDDEN_CHARACTERS } from '../../security/names.js'

/** Folder of content that was staged for a malformed fileId. No encoded fileId is equal to it. */
const NOWHERE = '_'

/** The folders of every prefix. */
const FOLDERS: readonly string[] = ['records', 'contents', 'probe']

/** Pattern of the names of all objects except records and the mark. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type ObjectNames = ReturnType<typeof objectNames>

/** The keys of all objects in a bucket. */
export function objectNames (prefix: string) {
  const [records, contents, probes] = FOLDERS.map(folder => `${prefix}${folder}/`) as [string, string, string]
  return {
    records,
    contents,
    probes,
    mark: markOf(prefix),
    /** Prefixes that nobody may use in the same bucket: their keys could be confused with the keys of this one. */
    overlapping: [...outerPrefixes(prefix), records, contents, probes],

    record: (fileId: string) => `${records}${encode(fileId)}.json`,

    /**
     * Key of an immutable object of a document: content, changes of a version, or a list of versions. `fileId`:
     * `undefined` for an object of no document.
     */
    content: (fileId: string | undefined, name: string) =>
      `${contents}${fileId === undefined ? NOWHERE : encode(fileId)}/${name}`,

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
      return more.length === 0 && UUID.test(name) && (fileId !== undefined || folder === NOWHERE)
        ? { fileId, name }
        : undefined
    },

    isProbe: (key: string) => key.startsWith(probes) && UUID.test(key.slice(probes.length))
  }
}

/** The key of the mark. It does not end with `.json`, so it is never the key of a record. */
export function markOf (prefix: string): string {
  return `${prefix}fastify-onlyoffice.mark`
}

/** Prefixes that contain this one in one of their folders. */
function outerPrefixes (prefix: string): string[] {
  const parts = prefix.split('/')
  const outer = (length: number) => parts.slice(0, length).map(part => `${part}/`).join('')
  return parts.flatMap((part, index) => FOLDERS.includes(part) ? [outer(index)] : [])
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
