import type { ChooseAction, Choice, PageAction as PageFacts } from '../../types/actions.js'
import type { FileInfo, Storage } from '../../types/storage.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import type { PageRequest } from './action.js'
import type { HookCalls, NamedHook } from './hook-calls.js'
import { isChoices } from './results.compiled.js'

/** A file that the user may choose, and that the document server then fetches. */
export interface ChosenFile {
  readonly name: string
  readonly fileType: string
  readonly url: string
  /** Of a file in the storage. */
  readonly info?: FileInfo
}

/** Asks the application for files. */
export interface Choices {
  /** `sign` makes the argument of the editor's method. */
  offer<Action extends ChooseAction>(
    hook: NamedHook<Action, readonly Choice[]>,
    page: PageRequest<unknown>,
    action: NoInfer<Omit<Action, keyof PageFacts>>,
    sign: (file: ChosenFile) => object
  ): Promise<OfferedChoices>
}

interface OfferedChoices {
  readonly choices: ReadonlyArray<
    { readonly name: string, readonly fileType: string, readonly thumbnail?: string, readonly data: object }
  >
}

interface Dependencies {
  readonly hooks: HookCalls
  readonly storage: Pick<Storage, 'stat'>
  readonly urls: Pick<HandlerUrls, 'download'>
}

/**
 * The document server fetches what a user has chosen at once. The page has the URLs of all others, too, which nobody
 * asked for.
 */
const CHOICE_LIFETIME_MS = 10 * 60_000

/** A list that a user can look through. */
const MAX_CHOICES = 200
/** Looked up at the same time. */
const BATCH = 20

export function createChoices ({ hooks, storage, urls }: Dependencies): Choices {
  return {
    async offer (hook, page, action, sign) {
      const found = await hooks.call(hook, page, action, {
        isResult: isChoices,
        expected: 'a list of { name, fileId } or { name, fileType, url }, with http(s) URLs'
      })
      const choices: Array<OfferedChoices['choices'][number]> = []
      for (let start = 0; start < Math.min(found.length, MAX_CHOICES); start += BATCH) {
        const batch = found.slice(start, Math.min(start + BATCH, MAX_CHOICES))
        for (const [index, file] of (await Promise.all(batch.map(chosenFile))).entries()) {
          const { thumbnail } = batch[index]!
          if (file) {
            choices.push({
              name: file.name,
              fileType: file.fileType,
              ...(thumbnail !== undefined && { thumbnail }),
              data: sign(file)
            })
          }
        }
      }
      return { choices }
    }
  }

  /** `undefined` for a file that was deleted meanwhile. */
  async function chosenFile ({ name, fileId, fileType, url }: Choice): Promise<ChosenFile | undefined> {
    if (fileId === undefined) return { name, fileType: fileType.toLowerCase(), url }
    const info = await storage.stat(fileId)
    return info
      ? { name, fileType: info.extension, url: urls.download(info.fileId, CHOICE_LIFETIME_MS), info }
      : undefined
  }
}
