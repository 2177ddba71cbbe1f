import type { Readable } from 'node:stream'
import t from 'tap'
import type { StoredVersion, VersionStore } from '../../types/storage.js'
import { type BrokenStorages, findOut, type Sound } from './broken.js'

const keeping =
  'versions: a kept content can be read, by every instance, after the file was replaced and its format changed'
const details = 'versions: details are any JSON value of up to 64 KiB; what is none is refused, and nothing is kept'
const stale = 'versions: keep of a revision that the file does not have resolves to null and keeps nothing'
const once = 'versions: a revision is kept once: kept again, it keeps its number and gets other details and changes'
const numbers = 'versions: a number is never given again, and of a removed version nothing is left'
const absent = 'versions: a malformed fileId, one of no file, and a malformed number are absent'
const failing = 'versions: when changes fail, keep rejects with their error and keeps nothing'
const racing = 'versions: of concurrent keeps of one revision, one version is kept, with what one of them passed'
const replacing =
  'versions: keeping while the file is replaced keeps whole contents with their revisions, each under a number of its own'
const many = 'versions: many versions are listed, read and removed like few, with short details and long ones'
const pruning =
  'versions: prune removes what exceeds the limits: what is too old, then what is within sessions, then the oldest'
const labelling = 'versions: label names a version until null takes the name away; it survives keeping the same revision, and prune'
const removing = 'versions: the versions of a file are removed together with it, also while one is being kept'

/** The versions of a sound storage with some of it replaced. */
function withVersions (
  change: (versions: VersionStore, sound: Sound) => Partial<VersionStore>
): BrokenStorages[string][1] {
  return sound => ({ versions: { ...sound.versions, ...change(sound.versions, sound) } })
}

/** Versions whose numbers are what `number` makes of the sound ones, by their place in the list. */
function renumbered (
  versions: VersionStore,
  number: (version: StoredVersion, index: number) => number
): Partial<VersionStore> {
  const list = async (fileId: string) =>
    (await versions.list(fileId)).map((version, index) => ({ ...version, version: number(version, index) }))
  const numbersOf = async (fileId: string) => await Promise.all([versions.list(fileId), list(fileId)])
  const soundOf = async (fileId: string, wanted: number) => {
    const [sound, changed] = await numbersOf(fileId)
    return sound[changed.findIndex(({ version }) => version === wanted)]?.version ?? NaN
  }
  return {
    list,
    async keep (fileId, ...rest) {
      const kept = await versions.keep(fileId, ...rest)
      return kept && (await list(fileId)).at(-1)!
    },
    async read (fileId, version, part) {
      const found = await versions.read(fileId, await soundOf(fileId, version), part)
      return found && { ...found, version: { ...found.version, version } }
    },
    remove: async (fileId, wanted) =>
      await versions.remove(fileId, await Promise.all(wanted.map(async version => await soundOf(fileId, version))))
  }
}

/** What is being read, by any instance. */
const bodies: Readable[] = []

const broken: BrokenStorages = {
  'gives the present content for every version': [
    keeping,
    withVersions((versions, sound) => ({
      async read (fileId, version, part) {
        const found = await versions.read(fileId, version, part)
        return found && part !== 'changes' ? { ...found, body: (await sound.read(fileId))!.body } : found
      }
    }))
  ],
  'lists the newest version first': [
    keeping,
    withVersions(versions => ({ list: async fileId => (await versions.list(fileId)).toReversed() }))
  ],
  'counts from 0': [keeping, withVersions(versions => renumbered(versions, ({ version }) => version - 1))],
  'changes the revision of what it keeps': [keeping, sound => ({
    versions: {
      ...sound.versions,
      async keep (fileId, ...rest) {
        const kept = await sound.versions.keep(fileId, ...rest)
        if (kept) await sound.replace(fileId, Buffer.concat(await (await sound.read(fileId))!.body.toArray()))
        return kept
      }
    }
  })],
  'gives the extension that the file has now': [
    keeping,
    withVersions((versions, sound) => ({
      list: async fileId =>
        await Promise.all(
          (await versions.list(fileId)).map(async version => ({
            ...version,
            extension: (await sound.stat(fileId))!.extension
          }))
        )
    }))
  ],
  'drops changes of no bytes': [
    keeping,
    withVersions(versions => ({
      async read (fileId, version, part) {
        const found = await versions.read(fileId, version, part)
        return part === 'changes' && found?.version.changesSize === 0 ? null : found
      }
    }))
  ],
  'drops details that are null-like': [
    details,
    withVersions(versions => ({
      keep: async (fileId, revision, options) =>
        await versions.keep(fileId, revision, { ...options, details: options?.details || undefined })
    }))
  ],
  'allows only a few details': [
    details,
    withVersions(versions => ({
      async keep (fileId, revision, options) {
        if ((JSON.stringify(options?.details)?.length ?? 0) > 60_000) throw new Error('too long')
        return await versions.keep(fileId, revision, options)
      }
    }))
  ],
  'lists the oldest versions instead of the newest': [
    many,
    withVersions(versions => ({
      list: async (fileId, { newest } = {}) => (await versions.list(fileId)).slice(0, newest)
    }))
  ],
  'cuts long details off': [
    many,
    withVersions(versions => ({
      keep: async (fileId, revision, options) =>
        await versions.keep(fileId, revision, {
          ...options,
          details: JSON.stringify(options?.details).length > 1024 ? null : options?.details
        })
    }))
  ],
  'prunes the newest versions': [
    pruning,
    withVersions(versions => ({
      prune: async (fileId, { keep }) =>
        await versions.remove(fileId, (await versions.list(fileId)).slice(keep).map(({ version }) => version))
    }))
  ],
  'prunes too many versions': [
    pruning,
    withVersions(versions => ({
      prune: async (fileId, { keep }) =>
        await versions.remove(
          fileId,
          (await versions.list(fileId)).slice(0, -Math.max(1, keep / 2)).map(({ version }) => version)
        )
    }))
  ],
  'names no version': [labelling, withVersions(() => ({ label: async () => true }))],
  'names versions that there are not': [
    labelling,
    withVersions(versions => ({
      label: async (...args) => await versions.label!(...args) || true
    }))
  ],
  'never takes a name away': [
    labelling,
    withVersions(versions => ({
      label: async (fileId, version, label) => label === null || await versions.label!(fileId, version, label)
    }))
  ],
  'prunes a version that has a name': [
    labelling,
    withVersions(versions => ({
      prune: async (fileId, { keep }) =>
        await versions.remove(fileId, (await versions.list(fileId)).slice(0, -keep).map(({ version }) => version))
    }))
  ],
  'never prunes': [pruning, withVersions(() => ({ prune: async () => {} }))],
  'prunes what is too old, the newest version included': [
    pruning,
    withVersions(versions => ({
      async prune (fileId, { keep, maxBytes, keptSince }) {
        const all = await versions.list(fileId)
        const isOld = keptSince.getTime() > Date.now()
        const count = maxBytes === Infinity ? keep : 3
        await versions.remove(
          fileId,
          (isOld ? all : count === Infinity ? [] : all.slice(0, -count)).map(({ version }) => version)
        )
      }
    }))
  ],
  'keeps any revision': [
    stale,
    withVersions((versions, sound) => ({
      keep: async (fileId, _revision, options) =>
        await versions.keep(fileId, (await sound.stat(fileId))?.revision ?? '', options)
    }))
  ],
  'gives a revision that is kept again a new number': [
    once,
    withVersions(versions => ({
      async keep (fileId, ...rest) {
        const kept = await versions.keep(fileId, ...rest)
        if (kept) await versions.remove(fileId, [kept.version])
        return await versions.keep(fileId, ...rest)
      }
    }))
  ],
  'leaves changes that were replaced by none': [
    once,
    withVersions(versions => ({
      async keep (fileId, revision, options) {
        const newest = (await versions.list(fileId)).at(-1)
        const old = newest?.revision === revision && options?.changes === undefined
          ? await versions.read(fileId, newest.version, 'changes')
          : null
        return await versions.keep(fileId, revision, { ...options, ...(old && { changes: old.body }) })
      }
    }))
  ],
  'gives the numbers of removed versions again': [
    numbers,
    withVersions(versions => renumbered(versions, (_version, index) => index + 1))
  ],
  'ends what is being read when its version is removed': [
    numbers,
    withVersions(versions => ({
      async read (...args) {
        const found = await versions.read(...args)
        if (found) bodies.push(found.body)
        return found
      },
      async remove (fileId, wanted) {
        await versions.remove(fileId, wanted)
        if (wanted.includes(1)) { for (const body of bodies) body.destroy() }
      }
    }))
  ],
  'removes everything for a number it does not know': [
    numbers,
    withVersions(versions => ({
      async remove (fileId, wanted) {
        const known = (await versions.list(fileId)).map(({ version }) => version)
        await versions.remove(fileId, wanted.some(version => !known.includes(version)) ? known : wanted)
      }
    }))
  ],
  'rejects for a malformed fileId': [
    absent,
    withVersions(versions => ({
      async list (fileId) {
        if (fileId.includes('..')) throw new Error('malformed')
        return await versions.list(fileId)
      }
    }))
  ],
  'takes any text that is a number': [
    absent,
    withVersions(versions => ({
      read: async (fileId, version, part) => await versions.read(fileId, Number(version), part)
    }))
  ],
  'reads the changes as the content where there are none': [
    absent,
    withVersions(versions => ({
      read: async (fileId, version, part) =>
        await versions.read(fileId, version, part) ?? await versions.read(fileId, version)
    }))
  ],
  'keeps before it has the changes': [
    failing,
    withVersions(versions => ({
      async keep (fileId, revision, options) {
        if (options?.changes) await versions.keep(fileId, revision)
        return await versions.keep(fileId, revision, options)
      }
    }))
  ],
  'gives each of several concurrent keeps a version': [
    racing,
    withVersions(versions => {
      let isBusy = false
      return {
        async keep (fileId, revision, options) {
          if (isBusy) {
            const [newest] = (await versions.list(fileId)).slice(-1)
            return newest ? { ...newest, version: newest.version + 1 } : null
          }
          isBusy = true
          await new Promise(resolve => setImmediate(resolve))
          const kept = await versions.keep(fileId, revision, options)
          isBusy = false
          return kept
        }
      }
    })
  ],
  'keeps what the file has become meanwhile': [
    replacing,
    withVersions((versions, sound) => ({
      async keep (fileId, revision, options) {
        await new Promise(resolve => setImmediate(resolve))
        const present = await sound.stat(fileId)
        const kept = await versions.keep(fileId, present!.revision, options)
        return kept && { ...kept, revision }
      }
    }))
  ],
  'forgets to remove versions': [removing, sound => {
    const kept = new Map<string, readonly StoredVersion[]>()
    return {
      async remove (fileId) {
        kept.set(fileId, await sound.versions.list(fileId))
        return await sound.remove(fileId)
      },
      versions: { ...sound.versions, list: async fileId => kept.get(fileId) ?? await sound.versions.list(fileId) }
    }
  }]
}

findOut(t, broken)
