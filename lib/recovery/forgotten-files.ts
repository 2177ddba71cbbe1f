import { createHash, type Hash } from 'node:crypto'
import type { HttpResponse } from '../../types/http.js'
import { sha256Of } from '../util/digest.js'
import { COMMAND_CODE, type Commands } from '../document-server/commands.js'
import { documentTypeOf, extensionOf } from '../document-server/formats.js'
import { CommandFailedError, UpstreamError } from '../errors.js'
import type { Stage } from '../csv/csv-saves.js'
import type { Fetch } from '../save/saves.js'
import { parseHttpUrl } from '../util/url.js'

export type FetchedFile = NonNullable<Awaited<ReturnType<ReturnType<typeof createForgottenFiles>['fetch']>>>

/** The document server's forgotten files. Source: docs/document-server-protocol.md#forgotten-files */
export function createForgottenFiles (commands: Commands, fetchSaved: Fetch) {
  return { keys, isBeingEdited, fetch, hashOf, remove }

  async function keys (signal: AbortSignal): Promise<readonly string[]> {
    const { keys } = await commands.send({ c: 'getForgottenList' }, { signal }) as { readonly keys: unknown }
    if (!Array.isArray(keys)) {
      throw new UpstreamError('the list of forgotten files did not come from a document server', { retryable: false })
    }
    return keys.filter(key => typeof key === 'string')
  }

  /**
   * Whether users are editing under this key, or have unsaved changes. Never call this in the queue of the file: see
   * `Commands.lookUp`.
   */
  async function isBeingEdited (key: string, signal?: AbortSignal): Promise<boolean> {
    try {
      return await unlessUnknown(commands.send({ c: 'info', key }, signal && { signal })) !== null
    } catch (error) {
      if (isAnswer(error, COMMAND_CODE.callback)) return true // there are users, but no callback URL
      throw error
    }
  }

  /**
   * Fetches a forgotten file and stages it with `stage`. Resolves to `null` if the file is gone. `hash`: SHA-256 of the
   * content. `filetype`: the format, if the document server opens it. `writtenAt`: when the document server wrote the
   * file, by its clock, if reported.
   */
  async function fetch (key: string, storedExtension: string | undefined, stage: Stage) {
    return await read(key, storedExtension, async (content, response, filetype) => {
      const hash = createHash('sha256')
      const staged = await stage(hashed(content, hash), filetype)
      return { staged, hash: hash.digest('hex'), filetype, writtenAt: dateOf(response.header('last-modified')) }
    })
  }

  /** SHA-256 of the current content; `null` if the file is gone. */
  async function hashOf (key: string): Promise<string | null> {
    return await read(key, undefined, sha256Of)
  }

  async function remove (key: string): Promise<void> {
    await unlessUnknown(commands.send({ c: 'deleteForgotten', key }))
  }

  async function read<Result> (
    key: string,
    storedExtension: string | undefined,
    consume: (
      content: AsyncIterable<Uint8Array>,
      response: Pick<HttpResponse, 'header'>,
      filetype: string | undefined
    ) => Promise<Result>
  ): Promise<Result | null> {
    const url = await urlOf(key)
    if (url === null) return null
    const extension = extensionOf(url.pathname)
    const filetype = documentTypeOf(extension) ? extension : undefined
    try {
      return await fetchSaved(
        { url, filetype, extension: storedExtension ?? extension },
        async (content, response) => await consume(content, response, filetype)
      )
    } catch (error) {
      // it was deleted meanwhile
      if (error instanceof UpstreamError && await urlOf(key).catch(() => url) === null) return null
      throw error
    }
  }

  async function urlOf (key: string): Promise<URL | null> {
    const found = await unlessUnknown(commands.send({ c: 'getForgotten', key }))
    return found && parseHttpUrl(found.url)
  }
}

async function unlessUnknown<Result> (command: Promise<Result>): Promise<Result | null> {
  try {
    return await command
  } catch (error) {
    if (isAnswer(error, COMMAND_CODE.unknownKey)) return null
    throw error
  }
}

function isAnswer (error: unknown, code: number): boolean {
  return error instanceof CommandFailedError && error.serverCode === code
}

async function * hashed (content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

function dateOf (header: string | undefined): Date | undefined {
  const date = new Date(header ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}
