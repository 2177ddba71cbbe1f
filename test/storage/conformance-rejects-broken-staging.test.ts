import t from 'tap'
import type { Content, StagedContent } from '../../types/storage.js'
import { type BrokenStorages, findOut, type Sound } from './broken.js'

const unseen = 'stage: staged content is not visible; it can be discarded, also twice'
const readable = 'stage: staged content has its size in bytes and can be read repeatedly'
const published = 'stage: replace publishes staged content, whether or not it was read; discard then changes nothing'
const again = 'stage: staged content can still be published after a failed attempt'
const otherRevision = 'replace with ifRevision replaces the stored revision; for any other it resolves to null and changes nothing'
const changed = 'replace with ifRevision resolves to null if the file changes during beforePublish'
const removed = 'replace with ifRevision resolves to null if the file is removed during beforePublish'
const atOnce = 'of concurrent replaces with the same ifRevision in one instance, exactly one succeeds'
const ephemeral = 'state: with durable: false, values are compared, set and read like durable ones'

async function bytesOf (content: Content): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content)
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Changes what was staged soundly. */
function withStaged (change: (staged: StagedContent, sound: Sound, fileId: string) => StagedContent): BrokenStorages[string][1] {
  return sound => ({
    async stage (fileId, content) {
      const staged = await sound.stage(fileId, content)
      return change(staged, sound, fileId)
    }
  })
}

const staging: BrokenStorages = {
  'makes staged content visible': [unseen, sound => ({
    async stage (fileId, content) {
      const bytes = await bytesOf(content)
      await sound.replace(fileId, bytes)
      return await sound.stage(fileId, (async function * () { yield bytes })())
    }
  })],
  'makes content visible while it is being staged': [unseen, sound => ({
    async stage (fileId, content) {
      const old = await bytesOf((await sound.read(fileId))!.body)
      const staged = await sound.stage(fileId, (async function * () {
        for await (const piece of content) {
          await sound.replace(fileId, piece)
          yield piece
        }
      })())
      await sound.replace(fileId, old)
      return staged
    }
  })],
  'removes the file together with its staged content': [unseen, withStaged((staged, sound, fileId) =>
    Object.assign(staged, { discard: async () => { await sound.remove(fileId) } }))],
  'rejects when something is discarded twice': [unseen, withStaged(staged => {
    let isGone = false
    return Object.assign(staged, {
      async discard () {
        if (isGone) throw new Error('no such file')
        isGone = true
      }
    })
  })],
  'tells a wrong size': [readable, withStaged(staged => Object.assign(staged, { size: staged.size + 1 }))],
  'returns staged content only once': [readable, withStaged(staged => {
    const once = staged[Symbol.asyncIterator]()
    return Object.assign(staged, { [Symbol.asyncIterator]: () => once })
  })],
  'publishes nothing after staged content was read': [published, withStaged(staged => {
    const iterator = staged[Symbol.asyncIterator]()
    return { size: staged.size, discard: async () => {}, [Symbol.asyncIterator]: () => iterator }
  })],
  'removes the published file together with its staged content': [published, withStaged((staged, sound, fileId) => {
    const { size } = staged
    return Object.assign(staged, { discard: async () => { if ((await sound.stat(fileId))?.size === size) await sound.remove(fileId) } })
  })],
  'creates no file from staged content': ['stage: create publishes content that was staged for another file, or for an absent one', sound => ({
    create: (extension, content) => sound.create(extension, 'discard' in content ? Buffer.alloc(0) : content)
  })],
  'stages only for files that are there': ['stage: create publishes content that was staged for another file, or for an absent one', sound => ({
    async stage (fileId, content) {
      if (await sound.stat(fileId) === null) throw new Error('no such file')
      return await sound.stage(fileId, content)
    }
  })],
  'discards content that could not be published': [again, withStaged(staged => {
    let isTried = false
    const iterator = staged[Symbol.asyncIterator]()
    return {
      size: staged.size,
      discard: async () => {},
      [Symbol.asyncIterator] () {
        if (isTried) throw new Error('no such file')
        isTried = true
        return iterator
      }
    }
  })],
  'stages the content received before the source failed': ['stage: rejects with the error of a failing source and leaves nothing behind', sound => ({
    stage: (fileId, content) => sound.stage(fileId, (async function * () {
      try {
        yield * content
      } catch {}
    })())
  })]
}

const conditional: BrokenStorages = {
  'replaces whatever the revision': [otherRevision, sound => ({
    replace: (fileId, content, { ifRevision, ...options } = {}) => sound.replace(fileId, content, options)
  })],
  'takes an empty revision for any': [otherRevision, sound => ({
    replace: (fileId, content, { ifRevision, ...options } = {}) => sound.replace(fileId, content, { ...options, ...(ifRevision && { ifRevision }) })
  })],
  'rejects for another revision': [otherRevision, sound => ({
    async replace (fileId, content, options) {
      const info = await sound.replace(fileId, content, options)
      if (info === null && options?.ifRevision !== undefined) throw new Error('conflict')
      return info
    }
  })],
  'replaces no revision': [otherRevision, sound => ({
    replace: async (fileId, content, options) => options?.ifRevision === undefined ? await sound.replace(fileId, content, options) : null
  })],
  'compares before it announces only': [changed, sound => ({
    async replace (fileId, content, { ifRevision, ...options } = {}) {
      const info = await sound.stat(fileId)
      return ifRevision !== undefined && info?.revision !== ifRevision ? null : await sound.replace(fileId, content, options)
    }
  })],
  'restores removed content': [removed, sound => ({
    async replace (fileId, content, { ifRevision, ...options } = {}) {
      const info = await sound.stat(fileId)
      return ifRevision !== undefined && info?.revision !== ifRevision ? null : await sound.replace(fileId, content, options)
    }
  })],
  'compares, then stores': [atOnce, sound => ({
    async replace (fileId, content, { ifRevision, ...options } = {}) {
      const info = await sound.stat(fileId)
      if (ifRevision !== undefined && info?.revision !== ifRevision) return null
      await new Promise(resolve => setImmediate(resolve))
      return await sound.replace(fileId, content, options)
    }
  })],
  'tells all who replace at once that theirs is stored': [atOnce, sound => {
    const last = new Map<string, Awaited<ReturnType<Sound['replace']>>>()
    return {
      async replace (fileId, content, options) {
        const info = await sound.replace(fileId, content, options)
        if (info) last.set(fileId, info)
        return info ?? last.get(fileId) ?? null
      }
    }
  }]
}

const ephemerals: BrokenStorages = {
  'stores nothing that a crash may take back': [ephemeral, sound => ({
    state: {
      ...sound.state,
      set: async (fileId, value, version, options) =>
        options?.durable === false ? 'version' : await sound.state.set(fileId, value, version, options)
    }
  })],
  'compares only durable state': [ephemeral, sound => ({
    state: {
      ...sound.state,
      set: async (fileId, value, version, options) =>
        await sound.state.set(
          fileId,
          value,
          options?.durable === false ? (await sound.state.get(fileId))?.version ?? null : version,
          options
        )
    }
  })]
}

findOut(t, staging)
findOut(t, conditional)
findOut(t, ephemerals)
