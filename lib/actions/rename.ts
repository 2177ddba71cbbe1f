import type { FastifyBaseLogger } from 'fastify'
import type { ActionOptions, RenameAction } from '../../types/actions.js'
import type { EditorSessions } from '../../types/sessions.js'
import type { Storage } from '../../types/storage.js'
import { FileNotFoundError, InvalidActionError } from '../errors.js'
import type { PageClaims } from '../security/page-token.js'
import { typedName } from '../security/file-name.js'
import { pageAction, type PageAction } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'
import { isRenameBody } from './requests.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['rename']>
  readonly hooks: HookCalls
  readonly storage: Pick<Storage, 'stat'>
  readonly rename: EditorSessions['rename']
  readonly makeToken: (claims: PageClaims) => string
  readonly log: Pick<FastifyBaseLogger, 'warn'>
}

/** For the document server to tell all editors. */
const TELLING_MS = 5000

/** Has the application note another name, and all editors of the document show it. */
export function renameAction ({ hook, hooks, storage, rename, makeToken, log }: Dependencies): PageAction {
  return pageAction({
    name: 'rename',
    isBody: isRenameBody,
    async run (page) {
      const { fileId } = page.claims
      const info = await storage.stat(fileId)
      if (!info) throw new FileNotFoundError()
      const name = typedName(page.body.name, info.extension)
      if (!name) {
        throw new InvalidActionError(
          'the name must be a plain file name: 1 to 255 bytes with its extension, without / \\ : * ? " < > | and control characters, and none that a system reserves'
        )
      }
      await hooks.call<RenameAction, void>({ name: 'rename', hook }, page, name, NOTHING)
      await tellEditors(fileId, name.title)
      return { name: name.title, pageToken: makeToken({ ...page.claims, name: name.title }) }
    }
  })

  /** The document has its name already: whoever is not told sees it when the document is opened again. */
  async function tellEditors (fileId: string, title: string): Promise<void> {
    try {
      await rename(fileId, title, { signal: AbortSignal.timeout(TELLING_MS) })
    } catch (err) {
      log.warn({ err, fileId }, 'the editors of a document were not told its new name')
    }
  }
}
