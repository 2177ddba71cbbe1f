import t from 'tap'
import { memoryState } from '../../lib/storage/memory-storage.js'
import type { Content, ListedStateRecord, StateRecord, StateStore } from '../../types/storage.js'
import { type BrokenStorages, findOut, type Sound } from './broken.js'

const announcement = 'beforePublish is called once, while readers see the old version, with the info that stat returns afterwards'
const listing = 'state: list contains every record once, as get resolves to it'
const rejection = 'replace rejects with the error of beforePublish, keeps the old version and leaves nothing behind'

async function collect (content: Content): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

const turn = () => new Promise(resolve => setImmediate(resolve))

/** The state of a sound storage with some of it replaced. */
function withState (change: (state: StateStore, sound: Sound) => Partial<StateStore>): BrokenStorages[string][1] {
  return sound => ({ state: { ...sound.state, ...change(sound.state, sound) } })
}

/** Sets whatever the version. */
async function overwrite (state: StateStore, fileId: string, value: unknown): Promise<string | null> {
  return await state.set(fileId, value, (await state.get(fileId))?.version ?? null)
}

const published: BrokenStorages = {
  'announces a revision it does not publish': [announcement, sound => ({
    replace: (fileId, content, { beforePublish, ...options } = {}) => sound.replace(fileId, content, {
      ...options,
      ...(beforePublish && { beforePublish: info => beforePublish({ ...info, revision: 'another' }) })
    })
  })],
  'announces twice': [announcement, sound => ({
    replace: (fileId, content, { beforePublish, ...options } = {}) => sound.replace(fileId, content, {
      ...options,
      ...(beforePublish && { beforePublish: info => beforePublish(info).then(() => beforePublish(info)) })
    })
  })],
  'announces an already published revision': [announcement, sound => ({
    async replace (fileId, content, { beforePublish, ...options } = {}) {
      const info = await sound.replace(fileId, content, options)
      if (info) await beforePublish?.(info)
      return info
    }
  })],
  'publishes whatever its announcement leads to': [rejection, sound => ({
    replace: (fileId, content, { beforePublish, ...options } = {}) => sound.replace(fileId, content, {
      ...options,
      ...(beforePublish && { beforePublish: info => beforePublish(info).catch(() => {}) })
    })
  })],
  'wraps the rejection of its announcement': [rejection, sound => ({
    replace: (fileId, content, options) => sound.replace(fileId, content, options).catch(() => { throw new Error('could not be stored') })
  })],
  'announces before it has the content': ['beforePublish is not called if the file is absent or the source fails', sound => ({
    async replace (fileId, content, { beforePublish, ...options } = {}) {
      const info = await sound.stat(fileId)
      if (info) await beforePublish?.(info)
      return await sound.replace(fileId, content, options)
    }
  })]
}

const states: BrokenStorages = {
  'has an empty record of every file': ['state: get resolves to null for a record that was never set', withState(state => ({
    get: async fileId => await state.get(fileId) ?? { value: {}, version: '0' }
  }))],
  'finds a record by the beginning of its id': ['state: get resolves to null for a record that was never set', withState(state => {
    const known = new Set<string>()
    return {
      get: async id => await state.get([...known].find(fileId => fileId.startsWith(id)) ?? id),
      set: (fileId, value, version) => state.set(known.add(fileId) && fileId, value, version)
    }
  })],
  'sets whatever the version': ['state: set stores a value only if the record still has the given version', withState(state => ({
    set: (fileId, value) => overwrite(state, fileId, value)
  }))],
  'takes null for any version': ['state: set stores a value only if the record still has the given version', withState(state => ({
    set: (fileId, value, version) => version === null ? overwrite(state, fileId, value) : state.set(fileId, value, version)
  }))],
  'compares, then sets': ['state: of concurrent sets with the same version, exactly one succeeds', withState(state => ({
    async set (fileId, value, version) {
      if (((await state.get(fileId))?.version ?? null) !== version) return null
      await turn()
      return await overwrite(state, fileId, value)
    }
  }))],
  'takes the value for its version': ['state: versions are never reused', withState(state => {
    const named = async (fileId: string): Promise<StateRecord | null> => {
      const record = await state.get(fileId)
      return record && { value: record.value, version: JSON.stringify(record.value) }
    }
    return {
      get: named,
      async set (fileId, value, version) {
        if (((await named(fileId))?.version ?? null) !== version) return null
        await overwrite(state, fileId, value)
        return JSON.stringify(value)
      }
    }
  })],
  'knows no letters but those of Latin-1': ['state: get returns any JSON value as it was set', withState(state => ({
    set: (fileId, value, version) => state.set(fileId, JSON.parse(JSON.stringify(value).replaceAll(/[\u0100-\uffff]/g, '?')), version)
  }))],
  'refuses long values': ['state: get returns any JSON value as it was set', withState(state => ({
    set: async (fileId, value, version) => JSON.stringify(value).length > 4096 ? null : await state.set(fileId, value, version)
  }))],
  'keeps the very object it was given': ['state: changing a value after it was set or read does not change the record', withState(state => {
    const kept = new Map<string, unknown>()
    return {
      async get (fileId) {
        const record = await state.get(fileId)
        return record && { ...record, value: kept.get(fileId) }
      },
      set: (fileId, value, version) => state.set(kept.set(fileId, value) && fileId, value, version)
    }
  })],
  'keeps one record for all malformed ids': ['state: a malformed fileId has no record and is not an error', withState(state => ({
    get: fileId => state.get(fileId.replace(/^\W.*/, 'other')),
    set: (fileId, value, version) => state.set(fileId.replace(/^\W.*/, 'other'), value, version)
  }))],
  'remembers in the process': ['state: a second instance sees a value at once and can replace it', () => ({ state: memoryState() })],
  'keeps the record of a file that is gone': ['state: removing a file removes its record', withState(() => memoryState())],
  'lists no records': [listing, withState(() => ({
    async * list () {}
  }))],
  'lists a record twice': [listing, withState(state => ({
    async * list () {
      yield * state.list!()
      yield * state.list!()
    }
  }))],
  'lists old values': [listing, withState(state => {
    const first = new Map<string, unknown>()
    return {
      async set (fileId, value, ...given) {
        if (!first.has(fileId)) first.set(fileId, value)
        return await state.set(fileId, value, ...given)
      },
      async * list () {
        for await (const record of state.list!()) yield { ...record, value: first.get(record.fileId) }
      }
    }
  })],
  'lists records that are gone': [listing, withState(state => {
    const set = new Map<string, ListedStateRecord>()
    return {
      async set (fileId, value, ...given) {
        const version = await state.set(fileId, value, ...given)
        if (version !== null) set.set(fileId, { fileId, value, version })
        return version
      },
      async * list () { yield * set.values() }
    }
  })],
  'keeps the record in the document': ['state: a record is not listed as a document and does not change its document', withState((state, sound) => ({
    async set (fileId, value, version) {
      await sound.replace(fileId, await collect((await sound.read(fileId))!.body))
      return await state.set(fileId, value, version)
    }
  }))],
  'forgets the record of a content that was replaced': ['state: a record is not listed as a document and does not change its document', sound => {
    const { remove, ...state } = memoryState()
    return {
      state,
      replace (fileId, content, options) {
        remove(fileId)
        return sound.replace(fileId, content, options)
      }
    }
  }]
}

findOut(t, published)
findOut(t, states)
