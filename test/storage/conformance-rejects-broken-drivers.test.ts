import { Readable } from 'node:stream'
import t from 'tap'
import { storageConformance } from '../../lib/conformance/index.js'
import type { Driver } from '../../lib/store/contract.js'
import { createDocumentStore } from '../../lib/store/document-store.js'
import { memoryDriver } from '../../lib/store/memory.js'
import type { StorageContent } from '../../types/storage.js'
import type { StoredBlob } from '../../types/storage-driver.js'

/** What is wrong with each driver, and the cases that must fail for it. */
const broken: Readonly<Record<string, readonly [failing: string | readonly string[], breakDriver: (sound: Driver) => Partial<Driver>]>> = {
  'drops the last byte': [
    'read returns the bytes that were stored',
    sound => ({ write: async (fileId, content) => await sound.write(fileId, (await bytesOf(content)).subarray(0, -1)) })
  ],
  'keeps only the last chunk': [
    ['the chunks of a stream are stored in their order', 'replace with another extension changes the extension and keeps the fileId'],
    sound => ({ write: async (fileId, content) => await sound.write(fileId, (await chunksOf(content)).at(-1)!) })
  ],
  'takes the end of a range as excluded': [
    'a range includes its first and its last byte',
    sound => ({ read: async (fileId, blob, range) => await sound.read(fileId, blob, range && { ...range, end: Math.max(range.start, range.end - 1) }) })
  ],
  'stores what arrived before the source failed': [
    'create rejects with the error of a failing source and leaves nothing behind',
    sound => ({ write: async (fileId, content) => await sound.write(fileId, Buffer.concat(await chunksOf(content, { untilItFails: true }))) })
  ],
  'gives contents of one length one name': [
    [
      'an earlier version can be read, by every instance, after the file was replaced and its format changed',
      'the revision changes with every replace, also a fast one with content of the same size, and never otherwise',
      'staged content is not visible; it can be discarded, also twice'
    ],
    sound => {
      const names = new Map<string, string>()
      return {
        async write (fileId, content) {
          const { name, size } = await sound.write(fileId, content)
          names.set(`size ${size}`, name)
          return { name: `size-${size}`, size }
        },
        read: async (fileId, { name, size }, range) => await sound.read(fileId, { name: names.get(`size ${size}`) ?? name, size }, range)
      }
    }
  ],
  'makes a record where there is one': [
    'create: of two files with one given fileId, one is stored; staged content stays if there is one already',
    sound => ({
      set: async (fileId, record, ifMatch) =>
        ifMatch === null ? await setAnyway(sound, fileId, record) : await sound.set(fileId, record, ifMatch)
    })
  ],
  'compares first and sets then': [
    'record: of concurrent sets with the same version, exactly one succeeds',
    sound => ({
      async set (fileId, record, ifMatch) {
        if (((await sound.get(fileId))?.etag ?? null) !== ifMatch) return null
        return await setAnyway(sound, fileId, record)
      }
    })
  ],
  'answers with what it has read before': [
    'a second instance sees the same version',
    ({ get }) => ({ get: remembering(fileId => fileId, get) })
  ],
  'reads for ever what a document had at first': [
    ['a reader keeps the version that it has opened when the file is replaced', 'readers during many replaces always see one complete version with its own info'],
    sound => reading(remembering(fileId => fileId, bytesIn(sound)))
  ],
  'gives every reader the same buffer': [
    'changing a buffer after it was stored or read does not change the file',
    sound => reading(remembering((_fileId, { name }) => name, bytesIn(sound)))
  ],
  'has one URL for all contents of a document': [
    'downloadUrl: the content can be fetched without further credentials, also after it was replaced',
    sound => ({ url: remembering(fileId => fileId, async (...blob: Place) => `data:;base64,${(await bytesIn(sound)(...blob)).toString('base64')}`) })
  ],
  'cuts long fileIds': [
    'an unknown fileId is treated as absent',
    sound => ({ get: async fileId => await sound.get(fileId.slice(0, 36)) })
  ],
  'shortens long records': [
    'record: get returns any JSON value as it was set',
    sound => ({
      set: async (fileId, record, ifMatch) =>
        await sound.set(fileId, record && JSON.parse(JSON.stringify(record, (_name, value) => typeof value === 'string' ? value.slice(0, 10_000) : value)), ifMatch)
    })
  ],
  'keeps what was removed': [
    'remove: a removed file is absent',
    sound => ({ set: async (fileId, record, ifMatch) => record === null ? ifMatch : await sound.set(fileId, record, ifMatch) })
  ],
  'lists a document twice': [
    'record: list contains every record once, as get resolves to it',
    sound => ({
      async * list () {
        for await (const fileId of sound.list()) yield * [fileId, fileId]
      }
    })
  ]
}

for (const [what, [failing, breakDriver]] of Object.entries(broken)) {
  t.test(`the conformance suite rejects a driver that ${what}`, async t => {
    for (const name of [failing].flat()) {
      t.equal(await failureOf(name, () => ({})), undefined, 'a sound one passes')
      t.type(await failureOf(name, breakDriver), Error, name)
    }
  })
}

t.test('for each case there is a driver that it rejects', async t => {
  const names: string[] = []
  await storageConformance({ create: () => { throw new Error('No case is run') }, test: name => names.push(name) })
  t.strictSame([...new Set(Object.values(broken).flatMap(([failing]) => failing))].sort(), names.sort())
})

/** Why the case of this name fails, `undefined` if it passes. Each instance has its own broken driver over one store. */
async function failureOf (failing: string, breakDriver: (sound: Driver) => Partial<Driver>): Promise<Error | undefined> {
  const outcomes: Array<Error | undefined> = []
  await storageConformance({
    create () {
      const sound = memoryDriver()
      const reopen = () => createDocumentStore({ ...sound, ...breakDriver(sound) }).storage
      return { storage: reopen(), reopen }
    },
    test: (name, run) => name === failing ? run().then(() => outcomes.push(undefined), error => outcomes.push(error)) : undefined
  })
  if (outcomes.length !== 1) throw new Error(`There is no case named: ${failing}`)
  return outcomes[0]
}

async function setAnyway (sound: Driver, fileId: string, record: object | null): Promise<string> {
  for (;;) {
    const etag = await sound.set(fileId, record, (await sound.get(fileId))?.etag ?? null)
    if (etag !== null) return etag
  }
}

async function chunksOf (content: StorageContent, { untilItFails = false } = {}): Promise<Uint8Array[]> {
  if (content instanceof Uint8Array) return [content]
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of content) chunks.push(chunk)
  } catch (error) {
    if (!untilItFails) throw error
  }
  return chunks
}

async function bytesOf (content: StorageContent): Promise<Buffer> {
  return Buffer.concat(await chunksOf(content))
}

/** Gives the first result for a key for ever. */
function remembering<Args extends unknown[], Result> (keyOf: (...args: Args) => string, call: (...args: Args) => Promise<Result>): typeof call {
  const results = new Map<string, Promise<Result>>()
  return async (...args) => {
    const key = keyOf(...args)
    if (!results.has(key)) results.set(key, call(...args))
    return await results.get(key)!
  }
}

type Place = [fileId: string, blob: StoredBlob]
const bytesIn = ({ read }: Driver) => async (...blob: Place) => await bytesOf((await read(...blob))!)
const reading = (bytes: (...blob: Place) => Promise<Buffer>) => ({ read: async (...blob: Place) => Readable.from([await bytes(...blob)]) })
