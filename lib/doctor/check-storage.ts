import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { DoctorFinding } from '../../types/doctor.js'
import type { Storage } from '../../types/storage.js'
import { StorageTimeoutError } from '../errors.js'
import { withTimeout } from '../util/with-timeout.js'
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
  const findings: DoctorFinding[] = []
  try {
    await limited('stat', () => storage.stat(PROBE + content.toString('hex', 0, 12)))
    await limited('state.get', async () => { await storage.state?.get(PROBE + content.toString('hex', 0, 12)) })
    const done = await write()
    findings.push(ok('STORAGE', `${done} ${capabilities()}`))
  } catch (failure) {
    signal.throwIfAborted()
    const { code, name } = Object(failure) as Partial<NodeJS.ErrnoException>
    findings.push(
      error(
        'STORAGE_FAILED',
        `A file of ${content.length} bytes could not be stored: ${code ?? name ?? 'an unknown error'}.`,
        remedies.find(([codes]) => codes.test(code ?? ''))?.[1] ??
          'Look into the log of the storage, and check its permissions and connections.'
      )
    )
  }
  if (!storage.state) {
    findings.push(
      warning(
        'STORAGE_NO_STATE',
        'The storage has no state: sessions and saves are remembered in the memory of this process only.',
        'Add `state` to the storage (see types/storage.ts, StateStore). Without it, run one instance only, and expect conflict copies after a restart during a session.'
      )
    )
  }
  return findings

  async function write (): Promise<string> {
    if (storage.stage) {
      const staged = await made(
        'stage',
        async () => await storage.stage!(PROBE + content.toString('hex', 0, 12), chunks(content)),
        late => late.discard()
      )
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
    const { fileId } = await made(
      'create',
      async () => await storage.create('txt', new Uint8Array(1)),
      late => remove(late.fileId)
    )
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

  function capabilities (): string {
    const names = (['state', 'stage', 'revoke'] as const).filter(name => storage[name] !== undefined)
    return `Optional members: ${names.join(', ') || 'none'}.`
  }

  /** Like `limited`, but undoes a result that arrives after the time limit. */
  async function made<Result> (
    method: string,
    make: () => Promise<Result>,
    undo: (late: Result) => unknown
  ): Promise<Result> {
    const making = make()
    try {
      return await limited(method, async () => await making)
    } catch (failure) {
      making.then(undo).catch(() => {})
      throw failure
    }
  }

  async function limited<Result> (method: string, call: () => Promise<Result>): Promise<Result> {
    return await withTimeout(call, {
      milliseconds: TIMEOUT_MS,
      timeoutError: ms => new StorageTimeoutError(method, ms),
      signal
    })
  }
}

const remedies: ReadonlyArray<readonly [codes: RegExp, remedy: string]> = [
  [/^(EACCES|EPERM)$/, 'Let the user of this process write to the directory of the storage.'],
  [/^EROFS$/, 'The file system of the storage is mounted read-only: mount it with write access.'],
  [/^(ENOSPC|EDQUOT)$/, 'Free disk space, or raise the quota.'],
  [
    /^(ENOENT|ENOTDIR|FST_EDITOR_INVALID_OPTION)$/,
    'Create the directory of the storage: it was removed, or something else has its name.'
  ],
  [/^FST_EDITOR_STORAGE_TIMEOUT$/, 'The storage does not answer: check its connections, or the network file system.']
]

async function * chunks (content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
