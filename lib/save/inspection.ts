import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type { InspectResult } from '../../types/inspection.js'
import type { StorageContent } from '../../types/storage.js'
import type { StagedContent } from '../store/contract.js'
import { checkedContent } from '../document-server/content-check.js'
import { InspectionFailedError, RejectedError, TooLargeError } from '../errors.js'
import type { Inspected, Services } from '../services.js'
import { unlessAborted } from '../util/limits.js'
import { acceptContent, discard } from '../util/streams.js'
import { isObject } from '../util/validate.js'
import { MAX_TEXT_LENGTH } from './retention.js'

type Hook = NonNullable<Services['settings']['inspect']>
type Needed = Pick<Services, 'settings' | 'storage' | 'hooks' | 'shutdown'>

/** Implements `Services.inspected` with the application's hook. */
export function createInspection (
  hook: Hook, { settings: { maxFileSize, timeouts }, storage, hooks, shutdown }: Needed
): Services['inspected'] {
  return async function inspected (staged, about, publish) {
    const replacement = await inspect(staged, about)
    try {
      return await publish(replacement ?? staged)
    } finally {
      if (replacement) await storage.discard(replacement)
    }
  }

  /** Resolves to the staged replacement, if there is one. Rejects if the content must not be stored. */
  async function inspect (
    staged: StagedContent, { signal: caller, ...about }: Inspected
  ): Promise<StagedContent | undefined> {
    const readers = new Set<AsyncIterator<Uint8Array>>()
    const content = {
      [Symbol.asyncIterator] () {
        const reader = staged[Symbol.asyncIterator]()
        readers.add(reader)
        return reader
      }
    }
    try {
      return await hooks.run(async context => {
        const replacement = await answerOf(hook, { ...about, content, size: staged.size }, context)
        return replacement && await stage(replacement, about.fileType, about.fileId ?? randomUUID(), context.signal)
      }, {
        name: 'inspect',
        fileId: about.fileId,
        key: about.key,
        milliseconds: timeouts.inspect,
        timeoutError: ms => new InspectionFailedError(`did not finish within ${ms} ms`),
        signal: caller ? AbortSignal.any([caller, shutdown.endSaves]) : shutdown.endSaves
      })
    } finally {
      // A hook that stopped halfway through the content has left a file open.
      for (const reader of readers) Promise.resolve(reader.return?.()).catch(() => {})
    }
  }

  /** `signal` is aborted when nobody waits for the replacement any more. */
  async function stage (
    replacement: StorageContent, fileType: string, fileId: string, signal: AbortSignal
  ): Promise<StagedContent> {
    let failure: unknown // a storage may reject with another error
    const staged = await storage.stage(fileId, checked()).catch(error => { throw failure ?? error })
    if (signal.aborted) await storage.discard(staged)
    return staged

    async function * checked (): AsyncGenerator<Uint8Array> {
      const bytes = isUint8Array(replacement) ? Readable.from([replacement]) : replacement
      const mismatchError = (found: string) => new InspectionFailedError(`returned a replacement that is ${found}`)
      const announced = { fileType: undefined, storedType: fileType, mediaType: undefined, mismatchError }
      try {
        yield * checkedContent(limited(bytes, maxFileSize, signal), announced)
      } catch (cause) {
        const isExplained = cause instanceof InspectionFailedError || cause instanceof TooLargeError
        throw failure = isExplained ? cause : new InspectionFailedError('returned a replacement that failed', { cause })
      }
    }
  }
}

/** Resolves to the replacement, or to `undefined` if the content is accepted. Rejects if it is not. */
async function answerOf (hook: Hook, ...args: Parameters<Hook>): Promise<StorageContent | undefined> {
  let result: InspectResult
  try {
    result = await hook(...args)
  } catch (cause) { // wrapped: the plugin would mistake it for an error of its own
    throw new InspectionFailedError('failed', { cause })
  }
  if (result === true) return undefined
  const { reject, message, replace } = (isObject(result) ? result : {}) as Readonly<Record<string, unknown>>
  if (reject === true && typeof message === 'string') throw new RejectedError(plainText(message))
  try {
    if (reject === undefined) return acceptContent(replace)
  } catch {}
  throw new InspectionFailedError('returned something other than true, { reject: true, message } or { replace: content }')
}

/** A storage may refuse control characters. */
function plainText (message: string): string {
  return message.replace(/[\p{Cc}\s]+/gu, ' ').trim().slice(0, MAX_TEXT_LENGTH).toWellFormed()
}

/** Passes content on. Fails when it gets too large, or as soon as the signal is aborted, even if nothing arrives. */
async function * limited (
  content: AsyncIterable<Uint8Array>, limit: number, signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  let size = 0
  try {
    for (;;) {
      const { done, value } = await unlessAborted(iterator.next(), signal)
      if (done === true) return
      size += value.length
      if (size > limit) throw new TooLargeError(limit)
      yield value
    }
  } finally {
    Promise.resolve(iterator.return?.()).catch(() => {}) // not awaited: the source may never answer
    if (content instanceof Readable) discard(content)
  }
}
