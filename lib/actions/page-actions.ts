import type { FastifyBaseLogger } from 'fastify'
import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { EditorSessions } from '../../types/sessions.js'
import type { OfferedActions } from '../control/control.js'
import { signerOf } from '../control/signed-data.js'
import type { Opens } from '../document-server/format-list.js'
import type { FetchResult } from '../document-server/result-file.js'
import type { TokenSigner } from '../document-server/token.js'
import type { Settings } from '../options.js'
import type { TimedStorage } from '../storage/timed-storage.js'
import type { HandlerUrls } from '../security/handler-urls.js'
import type { PageTokens } from '../security/page-token.js'
import type { DocumentKeys } from '../document-server/document-key.js'
import type { PageAction } from './action.js'
import { createChoices } from './choices.js'
import { configAction } from './config.js'
import { createAction } from './create.js'
import { documentsAction } from './documents.js'
import { favoriteAction } from './favorite.js'
import { historyAction, historyDataAction, restoreAction } from './history.js'
import { createHookCalls } from './hook-calls.js'
import { imagesAction } from './images.js'
import { createLinkedData } from './linked-data.js'
import { notifyAction } from './notify.js'
import { createPageLinks } from './page-links.js'
import { referenceAction } from './reference.js'
import { renameAction } from './rename.js'
import { renewAction } from './renew.js'
import { saveAsAction } from './save-as.js'
import { sharingAction } from './sharing.js'
import { spreadsheetsAction } from './spreadsheets.js'
import { usersAction } from './users.js'

interface Dependencies {
  readonly settings: Pick<Settings, 'actions' | 'documentServer' | 'publicBaseUrl' | 'timeouts' | 'versions'>
  readonly createControl: (defaults?: EditorControlDefaults) => EditorControl
  readonly pageTokens: Pick<PageTokens, 'make'>
  readonly tokens: TokenSigner
  readonly urls: Pick<HandlerUrls, 'download'>
  readonly keys: Pick<DocumentKeys, 'of'>
  readonly storage: TimedStorage
  readonly fetchResult: FetchResult
  readonly opens: Opens
  readonly offered: OfferedActions
  readonly editorSessions: Pick<EditorSessions, 'rename'>
  /** Identifies this application in copied cells. */
  readonly instanceId: string
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  /** Resolves when the saves of a file that have arrived are stored. */
  readonly whenSaved: (fileId: string) => Promise<void>
  readonly giveUpKey: (fileId: string, key: string) => Promise<boolean>
  readonly signal: AbortSignal
}

/**
 * The actions that the option `actions` turns on. A fresh configuration and the renewal of the token are always among
 * them.
 */
export function createPageActions (
  { settings, createControl, pageTokens, offered, editorSessions, tokens, instanceId, signal, ...given }: Dependencies
): PageAction[] {
  const { actions: options, documentServer, publicBaseUrl, timeouts } = settings
  const hooks = createHookCalls({ timeout: timeouts.hooks, signal })
  const sign = signerOf(tokens)
  const parts = {
    ...given,
    createControl,
    hooks,
    sign,
    makeToken: pageTokens.make,
    namesFor: offered.namesFor,
    rename: editorSessions.rename,
    choices: createChoices({ ...given, hooks }),
    linkedData: createLinkedData({ ...given, sign, instanceId }),
    pageLinks: createPageLinks({ page: options.page, hooks, publicBaseUrl }),
    origins: documentServer.publicOrigins,
    fetchTime: timeouts.total
  }

  return [
    configAction({ ...parts, options }),
    renewAction,
    ...when(options.rename, hook => renameAction({ ...parts, hook })),
    ...when(options.saveAs, saveAs => saveAsAction({ ...parts, saveAs, copied: options.copied })),
    ...when(options.images, hook => imagesAction({ ...parts, hook })),
    ...when(options.documents, hook => documentsAction({ ...parts, hook })),
    ...when(options.spreadsheets, hook => spreadsheetsAction({ ...parts, hook })),
    ...when(options.reference, hook => referenceAction({ ...parts, hook })),
    ...when(options.users, hook => usersAction({ ...parts, hook })),
    ...when(options.notify, hook => notifyAction({ ...parts, hook })),
    ...when(options.sharing, hook => sharingAction({ ...parts, hook })),
    ...when(options.favorite, hook => favoriteAction({ ...parts, hook })),
    ...when(options.create, hook => createAction({ ...parts, hook })),
    ...settings.versions ? [historyAction, historyDataAction, restoreAction(parts)] : []
  ]
}

function when<Option> (option: Option | undefined, make: (option: Option) => PageAction): PageAction[] {
  return option === undefined ? [] : [make(option)]
}
