import type { FastifyBaseLogger } from 'fastify'
import type { ActionOptions, CopiedAction, SaveAsAction, SaveAsResult } from '../../types/actions.js'
import type { ResultFile } from '../../types/conversions.js'
import type { Opens } from '../document-server/format-list.js'
import type { FetchResult } from '../document-server/result-file.js'
import { UpstreamError } from '../errors.js'
import type { TimedStorage } from '../storage/timed-storage.js'
import { similarName } from '../security/file-name.js'
import { discard } from '../util/streams.js'
import { pageAction, type PageAction, type PageRequest } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'
import { checkedResult } from './named-result.js'
import type { PageLinks } from './page-links.js'
import { isSaveAsBody } from './requests.compiled.js'
import { isSavedCopy } from './results.compiled.js'

interface Dependencies {
  readonly saveAs: NonNullable<ActionOptions['saveAs']>
  readonly copied: ActionOptions['copied']
  readonly log: Pick<FastifyBaseLogger, 'error'>
  readonly hooks: HookCalls
  readonly storage: Pick<TimedStorage, 'create' | 'discard' | 'stage'>
  readonly fetchResult: FetchResult
  readonly opens: Opens
  readonly pageLinks: PageLinks
  /** Of the document server, as browsers reach it. */
  readonly origins: ReadonlySet<string>
  /** Milliseconds that a fetch may take. */
  readonly fetchTime: number
}

/**
 * Fetches a copy that the document server has made, and stores it or hands it to the application. What no editor opens
 * the page downloads.
 */
export function saveAsAction (
  { saveAs, copied, log, hooks, storage, fetchResult, opens, pageLinks, origins, fetchTime }: Dependencies
): PageAction {
  return pageAction({
    name: 'save-as',
    isBody: isSaveAsBody,
    async run (page) {
      const result = checkedResult(page.body, origins)
      const name = similarName(page.body.title, result.fileType)
      if (!await opens(result.fileType)) return { name, isDownload: true }
      const file = await fetchResult(result, {
        namedByPage: true,
        failure: (reason, options) => new UpstreamError(reason, { ...options, retryable: false })
      })
      const { fileId, name: storedName = name, url: pageUrl } = await store(file, name, page)
      const shownUrl = pageUrl ?? (fileId === undefined ? undefined : await pageLinks.pageOf(fileId))
      return {
        name: storedName,
        ...(fileId !== undefined && { fileId }),
        ...(shownUrl !== undefined && { url: shownUrl })
      }
    }
  })

  /** A file that was cut off is not stored, even if a hook does not notice. */
  async function store (file: ResultFile, name: string, page: PageRequest<unknown>): Promise<SaveAsResult> {
    const { body: content, fileType, size } = file
    try {
      const result = saveAs === true
        ? { fileId: await create(file, name, page) }
        : await hooks.call<SaveAsAction, SaveAsResult | void>({ name: 'saveAs', hook: saveAs }, page, {
          name,
          fileType,
          content,
          size
        }, {
          isResult: isSavedCopy,
          expected: '{ fileId?, url?, name? } with an http(s) URL or a path',
          extraTime: fetchTime
        })
      if (content.errored) throw content.errored
      return result ?? {}
    } catch (error) {
      throw content.errored ?? error
    } finally {
      discard(content)
    }
  }

  async function create ({ body, fileType }: ResultFile, name: string, page: PageRequest<unknown>): Promise<string> {
    const { fileId } = page.claims
    const staged = await storage.stage(fileId, body)
    try {
      const { fileId: copyFileId } = await storage.create(fileType, staged)
      if (copied) {
        await hooks.call<CopiedAction, void>(
          { name: 'copied', hook: copied },
          page,
          { copyFileId, name, fileType },
          NOTHING
        )
          .catch(err => log.error({ err, fileId, copyFileId }, 'the hook actions.copied failed: the copy stays'))
      }
      return copyFileId
    } finally {
      await storage.discard(staged)
    }
  }
}
