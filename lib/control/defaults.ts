import type { DocumentPermissions } from '@onlyoffice/doceditor-types'
import type { ActionOptions, PageAccess, PageRights, PageUser } from '../../types/actions.js'
import type { EditorControlDefaults, RenderOptions } from '../../types/control.js'
import { InvalidOptionError } from '../errors.js'
import { isJsonObject } from '../util/text.js'
import {
  AnyObject, AnyString, assertValue, each, isTypo, kindOf, oneOf, rule, type Rule, stringThat, TrueOrFalse,
  unknownOption, withoutUndefined
} from '../util/validate.js'

type RuleForEach<Value> = { readonly [Name in keyof Value]-?: Rule }
type Rights = Pick<
  DocumentPermissions,
  {
    [Name in keyof DocumentPermissions]-?: DocumentPermissions[Name] extends boolean | undefined ? Name : never
  }[keyof DocumentPermissions]
>

/** Anything else would let the user edit. */
const Mode = oneOf('edit', 'view')
const UserId = rule(
  'must be a string of 1 to 240 characters, such as String(7). Leave it out for a user without one: what a user with an empty id edits is never saved, and a document server never answers one whose id is longer',
  stringThat(id => id !== '' && id.length <= 240)
)
const Determined = rule(
  'must be absent: it is determined by the document, which openDocument() opens under a title',
  () => false
)

const rules: RuleForEach<EditorControlDefaults> = {
  ...each(
    AnyObject,
    'user', 'permissions', 'customization', 'document', 'editorConfig', 'info', 'referenceData', 'actionLink',
    'coEditing', 'embedded', 'plugins', 'wopi'
  ),
  ...each(
    AnyString,
    'lang', 'width', 'height', 'createUrl', 'fileChoiceUrl', 'location', 'mergeFolderUrl', 'region', 'saveAsUrl',
    'sharingSettingsUrl'
  ),
  ...each(rule('must be a list', Array.isArray), 'recent', 'templates'),
  mode: Mode,
  type: oneOf('desktop', 'mobile', 'embedded'),
  history: TrueOrFalse,
  preset: oneOf('secure-view')
}

/** What `preset: 'secure-view'` decides, whatever else a control says. */
const SECURE_VIEW: EditorControlDefaults = {
  mode: 'view',
  history: false,
  permissions: {
    chat: false,
    comment: false,
    copy: false,
    download: false,
    edit: false,
    fillForms: false,
    print: false,
    protect: false,
    review: false
  },
  customization: { comments: false, macros: false, plugins: false }
}

/** Of the editor's configuration, but not for the defaults. */
const determined: Readonly<Record<string, Rule>> = {
  ...each(Determined, 'callbackUrl', 'documentType', 'fileType', 'key', 'title', 'token', 'url'),
  events: rule('must be absent: name events in render({ events }), and listen to them in the page', () => false)
}

const ofDocument = { ...each(Determined, 'fileType', 'key', 'title', 'url'), permissions: AnyObject }
const ofEditorConfig = { callbackUrl: Determined, mode: Mode, user: AnyObject }

/** Anything else would allow what it seems to forbid. */
const rights: RuleForEach<Rights> = each(
  TrueOrFalse,
  'chat', 'comment', 'copy', 'deleteCommentAuthorOnly', 'download', 'edit', 'editCommentAuthorOnly', 'fillForms',
  'modifyContentControl', 'modifyFilter', 'print', 'protect', 'review'
)

/**
 * Checks what a control is made with. What is inside `document`, `editorConfig`, `customization` and so on may be known
 * to newer editors only, and passes, except what is determined by the document and misspelt permissions. Throws
 * `InvalidOptionError`. Returns them without fields that are `undefined`: these count as not given.
 */
export function checkedDefaults (defaults: EditorControlDefaults, path = ''): EditorControlDefaults {
  if (!AnyObject.holds(defaults)) {
    throw new InvalidOptionError(
      path.slice(0, -1) || 'defaults',
      `must be an object such as { user, mode, permissions }, not ${kindOf(defaults)}`
    )
  }
  for (const [name, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(rules, name) && !Object.hasOwn(determined, name)) throw unknownOption(name, rules, path)
    if (value === undefined) continue
    assertValue(path + name, value, rules[name as keyof EditorControlDefaults] ?? determined[name]!)
  }
  const { document, editorConfig, permissions, user } = defaults
  assertKnown(document, ofDocument, `${path}document`)
  assertKnown(editorConfig, ofEditorConfig, `${path}editorConfig`)
  assertKnown(user, { id: UserId }, `${path}user`)
  assertKnown(editorConfig?.user, { id: UserId }, `${path}editorConfig.user`)
  assertRights(permissions, `${path}permissions`)
  assertRights(document?.permissions, `${path}document.permissions`)
  return withoutUndefined(defaults)
}

/** A misspelt right would allow what it seems to forbid. Other unknown names pass: newer editors may know them. */
function assertRights (permissions: object | undefined = {}, path: string): void {
  assertKnown(permissions, rights, path)
  for (const name of Object.keys(permissions)) {
    if (isTypo(name, Object.keys(rights))) throw unknownOption(name, rights, `${path}.`)
  }
}

/** Checks the properties that there is a rule for. */
function assertKnown (values: object | undefined = {}, rules: Readonly<Record<string, Rule>>, path: string): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && Object.hasOwn(rules, name)) assertValue(`${path}.${name}`, value, rules[name]!)
  }
}

/** What the control of a page has set. */
export function accessOf (defaults: EditorControlDefaults): PageAccess {
  return {
    mode: defaults.mode === 'view' ? 'view' : 'edit',
    permissions: { ...defaults.permissions },
    rights: rightsOf(defaults)
  }
}

/** The defaults of the editor: everything is allowed that is not denied. */
function rightsOf ({ type, mode, permissions = {}, history }: EditorControlDefaults): PageRights {
  const { edit, comment, download } = permissions
  const isEditor = mode !== 'view' && type !== 'embedded'
  const mayEdit = isEditor && edit !== false
  return {
    edit: mayEdit,
    comment: isEditor && (comment ?? mayEdit),
    download: download !== false,
    history: history ?? mayEdit
  }
}

/** As hooks get the user. A page's token has dropped what is `undefined`. */
export function userOf ({ user }: EditorControlDefaults): PageUser | undefined {
  return user as PageUser | undefined
}

/** Something that a page must allow its user. `change`: anything that is saved, such as comments. */
export type Need = keyof PageRights | 'any' | 'change'

export function mayUse (defaults: EditorControlDefaults, need: Need): boolean {
  return need === 'any' || (need === 'change' ? mayChange(defaults) : rightsOf(defaults)[need])
}

/** Source: emulator/docs/document-server-protocol.md#saved-2-and-3 */
function mayChange ({ mode, type, permissions = {} }: EditorControlDefaults): boolean {
  const { edit, comment, fillForms, review } = permissions
  return mode !== 'view' && type !== 'embedded' && (edit !== false || [comment, fillForms, review].includes(true))
}

/** The same page when the user may not edit the document now. The history stays. */
export function viewingDefaults (defaults: EditorControlDefaults): EditorControlDefaults {
  const denied = { edit: false, comment: false, fillForms: false, review: false }
  const { history } = rightsOf(defaults)
  return { ...defaults, mode: 'view', permissions: { ...defaults.permissions, ...denied }, history }
}

/** What the options `actions` and `versions` offer to a page. */
export type OfferedActions = ReturnType<typeof offeredActions>

/** `turnedOn`: the actions that the options turn on. `instanceId`: identifies this application in copied cells. */
export function offeredActions (
  turnedOn: ReadonlyArray<{ readonly name: string, readonly needs: Need, readonly option?: string }>,
  actions: ActionOptions, instanceId: () => string
) {
  const named = turnedOn.filter(({ option }) => option !== undefined)
  return {
    /** Names of the actions that a page can use. */
    namesFor: (defaults: EditorControlDefaults): string[] => [
      ...named.filter(({ needs }) => mayUse(defaults, needs)).map(({ name }) => name),
      // the action `config` grants it
      ...actions.editRights && !defaults.preset && !rightsOf(defaults).edit ? ['editRights'] : [],
      ...actions.links ? ['links'] : []
    ],
    /** With the fields of the configuration that the actions need. */
    completed (defaults: EditorControlDefaults, fileId: string): EditorControlDefaults {
      const complete: EditorControlDefaults = actions.sharing ? withInfo(defaults) : defaults
      if (!actions.reference || fileId === '' || complete.referenceData) return complete
      return { ...complete, referenceData: { fileKey: fileId, instanceId: instanceId() } }
    }
  }
}

/** With what `render()` was told: the page asks for further configurations, which must be the same in this. */
export function renderedDefaults (
  defaults: EditorControlDefaults, { events = [], lang }: RenderOptions
): EditorControlDefaults {
  return {
    ...defaults,
    ...(lang !== undefined && { lang }),
    ...(events.includes('onRequestSharingSettings') && withInfo(defaults))
  }
}

/** The editor crashes without `document.info` where it asks for sharing settings. */
function withInfo (defaults: EditorControlDefaults): EditorControlDefaults {
  return { ...defaults, info: defaults.info ?? {} }
}

/**
 * What `given` says takes precedence, wherever it says it. Objects are merged, lists are not. In the result, and so in
 * every control and page token, the fields of `editorConfig`, `permissions`, `info` and `referenceData` are at the top
 * level only, and a preset has its say.
 */
export function mergedDefaults (base: EditorControlDefaults, given: EditorControlDefaults): EditorControlDefaults {
  const both = merged(atTopLevel(base), atTopLevel(given))
  return both.preset === 'secure-view' ? merged(both, SECURE_VIEW) : both
}

function atTopLevel ({ editorConfig, document, ...fields }: EditorControlDefaults): EditorControlDefaults {
  const { permissions, info, referenceData, ...others } = document ?? {}
  return { ...editorConfig, ...merged({}, { permissions, info, referenceData }), ...fields, document: others }
}

function merged<Base extends object> (base: Base, given: object): Base {
  const present = base as Readonly<Record<string, unknown>>
  return {
    ...base,
    ...Object.fromEntries(Object.entries(withoutUndefined(given)).map(([name, value]) => {
      const old = Object.hasOwn(present, name) ? present[name] : undefined
      return [name, isJsonObject(old) && isJsonObject(value) ? merged(old, value) : value as unknown]
    }))
  }
}
