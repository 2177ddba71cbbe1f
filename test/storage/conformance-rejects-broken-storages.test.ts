import { Readable } from 'node:stream'
import t from 'tap'
import type { Content, FileInfo, Storage } from '../../types/storage.js'
import { type BrokenStorages, findOut, type Sound } from './broken.js'

async function piecesOf (content: Content): Promise<Uint8Array[]> {
  if (content instanceof Uint8Array) return [content]
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return pieces
}

async function collect (content: Content): Promise<Buffer> {
  return Buffer.concat(await piecesOf(content))
}

const broken: BrokenStorages = {
  'drops the last byte': [
    'read returns the bytes that were stored',
    sound => ({ create: async (extension, content) => sound.create(extension, (await collect(content)).subarray(0, -1)) })
  ],
  'keeps only the last piece': [
    'the chunks of a stream are stored in their order',
    sound => ({
      create: async (extension, content) => sound.create(extension, (await piecesOf(content)).at(-1)!)
    })
  ],
  'throws on a malformed id': [
    'a malformed fileId is treated as absent: no error, and no other file is affected',
    sound => ({
      async stat (fileId) {
        if (fileId.includes('/')) throw new Error('malformed')
        return sound.stat(fileId)
      }
    })
  ],
  'matches a pattern': [
    'an unknown fileId is treated as absent',
    sound => {
      const ids: string[] = []
      return {
        async create (extension, content) {
          const info = await sound.create(extension, content)
          ids.push(info.fileId)
          return info
        },
        stat: async fileId => sound.stat(ids.find(id => fileId.endsWith('*') && id.startsWith(fileId.slice(0, -1))) ?? fileId)
      }
    }
  ],
  'reads the content before it looks for the file': [
    'an unknown fileId is treated as absent',
    sound => ({ replace: async (fileId, content, options) => sound.replace(fileId, await collect(content), options) })
  ],
  'takes the end of a range as excluded': [
    'a range includes its first and its last byte',
    sound => ({ read: (fileId, range) => sound.read(fileId, range && { start: range.start, end: Math.max(range.start, range.end - 1) }) })
  ],
  'cuts a range down to the file': [
    'read rejects with a RangeError if the range is not within the file',
    sound => ({
      async read (fileId, range) {
        const info = await sound.stat(fileId)
        return sound.read(fileId, info && range ? { start: range.start, end: Math.min(range.end, info.size - 1) } : undefined)
      }
    })
  ],
  'reads whatever version is there when the body flows': [
    'a reader keeps the version that it has opened when the file is replaced',
    sound => ({
      async read (fileId, range) {
        const opened = await sound.read(fileId, range)
        return opened && { info: opened.info, body: Readable.from(late(sound, fileId), { objectMode: false }) }
      }
    })
  ],
  'writes in place, piece by piece': [
    'readers see the old version until a replace has finished',
    sound => ({
      async replace (fileId, content, options) {
        if (content instanceof Uint8Array || !await sound.stat(fileId)) return sound.replace(fileId, content, options)
        const pieces: Uint8Array[] = []
        let info: FileInfo | null = null
        for await (const piece of content) {
          pieces.push(piece)
          info = await sound.replace(fileId, Buffer.concat(pieces), options)
        }
        return info
      }
    })
  ],
  'tells the info of one version and gives the bytes of another': [
    'readers during many replaces always see one complete version with its own info',
    sound => ({
      async read (fileId, range) {
        const info = await sound.stat(fileId)
        await new Promise(resolve => setTimeout(resolve, 1))
        const result = await sound.read(fileId, range)
        return result && info && { info, body: result.body }
      }
    })
  ],
  'stores the content received before the source failed': [
    'replace rejects with the error of a failing source and keeps the old version',
    sound => ({
      async replace (fileId, content, options) {
        const pieces: Uint8Array[] = []
        try {
          if (content instanceof Uint8Array || !await sound.stat(fileId)) return await sound.replace(fileId, content, options)
          for await (const piece of content) pieces.push(piece)
          return await sound.replace(fileId, Buffer.concat(pieces), options)
        } catch (error) {
          await sound.replace(fileId, Buffer.concat(pieces))
          throw error
        }
      }
    })
  ],
  'takes the size for the revision': [
    'the revision changes with every replace, also a fast one with content of the same size, and never otherwise',
    sound => withInfo(sound, info => ({ ...info, revision: String(info.size) }))
  ],
  'makes up a revision each time': [
    'replace stores the new bytes under the same fileId and extension',
    sound => withInfo(sound, info => ({ ...info, revision: String(Math.random()) }))
  ],
  'keeps the case of an extension': [
    'info contains the extension in lower case, the size in bytes, the modification time and the revision',
    sound => withInfo(sound, info => ({ ...info, extension: info.extension.toUpperCase() }))
  ],
  'ignores the new format': [
    'replace with another extension changes the extension and keeps the fileId',
    sound => ({ replace: (fileId, content) => sound.replace(fileId, content) })
  ],
  'gives ids that need encoding': [
    'create returns unique fileIds that need no encoding in a URL',
    sound => withInfo(sound, info => ({ ...info, fileId: `${info.fileId} #` }))
  ],
  'removes nothing and says it did': [
    'remove: a removed file is absent',
    () => ({ remove: async () => true })
  ]
}

function withInfo (sound: Sound, change: (info: FileInfo) => FileInfo): Partial<Storage> {
  return {
    stat: async fileId => orNull(await sound.stat(fileId), change),
    create: async (extension, content) => change(await sound.create(extension, content)),
    replace: async (fileId, content, options) => orNull(await sound.replace(fileId, content, options), change)
  }
}

function orNull (info: FileInfo | null, change: (info: FileInfo) => FileInfo): FileInfo | null {
  return info && change(info)
}

async function * late (sound: Sound, fileId: string): AsyncGenerator<Buffer> {
  for await (const chunk of (await sound.read(fileId))!.body) yield chunk
}

findOut(t, broken)
