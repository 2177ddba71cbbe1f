import t from 'tap'
import { storageConformance } from '../../lib/conformance/index.js'
import type { Driver } from '../../lib/store/contract.js'
import { createDocumentStore } from '../../lib/store/document-store.js'
import { memoryDriver } from '../../lib/store/memory.js'
import type { Content, StoredRecord } from '../../types/storage.js'

/** What is wrong with each driver, and the case that must fail for it. */
const broken: Readonly<Record<string, readonly [failing: string, breakDriver: (sound: Driver) => Partial<Driver>]>> = {
  'drops the last byte': [
    'read returns the bytes that were stored',
    sound => ({ write: async (fileId, content) => await sound.write(fileId, (await bytesOf(content)).subarray(0, -1)) })
  ],
  'keeps only the last chunk': [
    'the chunks of a stream are stored in their order',
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
    'an earlier version can be read, by every instance, after the file was replaced and its format changed',
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
  'sets a record whatever its ETag is': [
    'record: of concurrent sets with the same version, exactly one succeeds',
    sound => ({ set: async (fileId, record) => await setAnyway(sound, fileId, record) })
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
    sound => {
      const known = new Map<string, StoredRecord | null>()
      return {
        async get (fileId) {
          if (!known.has(fileId)) known.set(fileId, await sound.get(fileId))
          return known.get(fileId)!
        }
      }
    }
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
  ],
  'lists nothing': [
    'record: list contains every record once, as get resolves to it',
    () => ({ async * list () {} })
  ]
}

for (const [what, [failing, breakDriver]] of Object.entries(broken)) {
  t.test(`the conformance suite rejects a driver that ${what}`, async t => {
    t.equal(await failureOf(failing, () => ({})), undefined, 'a sound one passes')
    t.type(await failureOf(failing, breakDriver), Error, failing)
  })
}

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

async function chunksOf (content: Content, { untilItFails = false } = {}): Promise<Uint8Array[]> {
  if (content instanceof Uint8Array) return [content]
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of content) chunks.push(chunk)
  } catch (error) {
    if (!untilItFails) throw error
  }
  return chunks
}

async function bytesOf (content: Content): Promise<Buffer> {
  return Buffer.concat(await chunksOf(content))
}
