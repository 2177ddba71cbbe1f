import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { DoctorFinding } from '../../types/doctor.js'
import type { Storage } from '../../types/storage.js'
import { StorageTimeoutError } from '../errors.js'
import { withTimeout } from '../util/limits.js'
import { error, ok, warning } from './findings.js'
import type { DoctorServices } from './services.js'

/** No file has this ID: it is made for one examination. */
const PROBE = 'fastify-onlyoffice-probe-'
const TIMEOUT_MS = 10_000

/**
 * Whether the storage can store. It leaves nothing that users could see: staged content is invisible, and without
 * `stage` a file is created only if the storage can remove it.
 */
export async function checkStorage ({ storage, signal }: DoctorServices): Promise<DoctorFinding[]> {
  const content = randomBytes(4096)
  const probeId = PROBE + content.toString('hex', 0, 12)
  const findings = [await storedProbe()]
  if (!storage.state) {
    findings.push(warning('STORAGE_NO_STATE',
      'The storage has no state: sessions and saves are remembered in the memory of this process only.',
      'Add `state` to the storage (see types/storage.ts, StateStore). Without it, run one instance only, and expect conflict copies after a restart during a session.'))
  }
  return findings

  async function storedProbe (): Promise<DoctorFinding> {
    try {
      await limited('stat', () => storage.stat(probeId))
      await limited('state.get', async () => { await storage.state?.get(probeId) })
      const done = await write()
      const members = (['state', 'stage', 'revoke'] as const).filter(name => storage[name] !== undefined)
      return ok('STORAGE', `${done} Optional members: ${members.join(', ') || 'none'}.`)
    } catch (failure) {
      signal.throwIfAborted()
      const { code, name } = Object(failure) as Partial<NodeJS.ErrnoException>
      return error('STORAGE_FAILED',
        `A file of ${content.length} bytes could not be stored: ${code ?? name ?? 'an unknown error'}.`,
        remedies.find(([codes]) => codes.test(code ?? ''))?.[1] ??
          'Look into the log of the storage, and check its permissions and connections.')
    }
  }

  async function write (): Promise<string> {
    if (storage.stage) {
      const stage = async () => await storage.stage!(probeId, Readable.from([content]))
      const staged = await made('stage', stage, late => late.discard())
      try {
        assertSame(await limited('stage', async () => await buffer(staged)))
      } finally {
        await limited('discard', () => staged.discard())
      }
      return `${content.length} bytes were stored durably, read back and discarded.`
    }
    if (!storage.remove) return 'Only reading was tried: the storage has neither stage nor remove.'
    return await createAndRemove(storage.remove.bind(storage))
  }

  async function createAndRemove (remove: NonNullable<Storage['remove']>): Promise<string> {
    const create = async () => await storage.create('txt', new Uint8Array(1))
    const { fileId } = await made('create', create, late => remove(late.fileId))
    try {
      if (!await limited('replace', () => storage.replace(fileId, content))) {
        throw Object.assign(new Error('replace found no file'), { code: 'NOT_FOUND' })
      }
      const file = await limited('read', () => storage.read(fileId))
      assertSame(file ? await limited('read', async () => await buffer(file.body)) : Buffer.alloc(0))
    } finally {
      await limited('remove', () => remove(fileId))
    }
    return `A file of ${content.length} bytes was created, replaced, read and removed.`
  }

  function assertSame (bytes: Buffer): void {
    if (!bytes.equals(content)) throw Object.assign(new Error('other bytes'), { code: 'OTHER_BYTES_THAN_WRITTEN' })
  }

  /** Like `limited`, but undoes a result that arrives after the time limit. */
  async function made<Made> (method: string, make: () => Promise<Made>, undo: (late: Made) => unknown): Promise<Made> {
    const making = make()
    try {
      return await limited(method, async () => await making)
    } catch (failure) {
      making.then(undo).catch(() => {})
      throw failure
    }
  }

  function limited<Result> (method: string, call: () => Promise<Result>): Promise<Result> {
    const timeoutError = (ms: number) => new StorageTimeoutError(method, ms)
    return withTimeout(call, { milliseconds: TIMEOUT_MS, timeoutError, signal })
  }
}

const remedies: ReadonlyArray<readonly [codes: RegExp, remedy: string]> = [
  [/^(EACCES|EPERM)$/, 'Let the user of this process write to the directory of the storage.'],
  [/^EROFS$/, 'The file system of the storage is mounted read-only: mount it with write access.'],
  [/^(ENOSPC|EDQUOT)$/, 'Free disk space, or raise the quota.'],
  [/^(ENOENT|ENOTDIR|FST_EDITOR_INVALID_OPTION)$/,
    'Create the directory of the storage: it was removed, or something else has its name.'],
  [/^FST_EDITOR_STORAGE_TIMEOUT$/, 'The storage does not answer: check its connections, or the network file system.']
]
