import type { DocumentPermissions } from '@onlyoffice/doceditor-types'
import type { EditorControlDefaults } from '../../types/control.js'
import { InvalidOptionError } from '../errors.js'
import { misspelt } from '../nearest.js'
import { AnyString, assertValue, isObject, kindOf, oneOf, rule, type Rule, TrueOrFalse, unknownOption } from '../rules.js'

type RuleForEach<Value> = { readonly [Name in keyof Value]-?: Rule }
type Rights = Pick<DocumentPermissions, { [Name in keyof DocumentPermissions]-?: DocumentPermissions[Name] extends boolean | undefined ? Name : never }[keyof DocumentPermissions]>

const AnyObject = rule('must be an object', isObject)
const AnyList = rule('must be a list', Array.isArray)
/** Anything else would let the user edit. */
const Mode = oneOf('edit', 'view')
const Determined = rule('must be absent: it is determined by the document, which openDocument() opens under a name', () => false)

const rules: RuleForEach<EditorControlDefaults> = {
  user: AnyObject,
  mode: Mode,
  lang: AnyString,
  permissions: AnyObject,
  customization: AnyObject,
  type: oneOf('desktop', 'mobile', 'embedded'),
  width: AnyString,
  height: AnyString,
  history: TrueOrFalse,
  document: AnyObject,
  editorConfig: AnyObject,
  info: AnyObject,
  referenceData: AnyObject,
  actionLink: AnyObject,
  coEditing: AnyObject,
  createUrl: AnyString,
  embedded: AnyObject,
  fileChoiceUrl: AnyString,
  location: AnyString,
  mergeFolderUrl: AnyString,
  plugins: AnyObject,
  recent: AnyList,
  region: AnyString,
  saveAsUrl: AnyString,
  sharingSettingsUrl: AnyString,
  templates: AnyList,
  wopi: AnyObject
}

/** Of the editor's configuration, but not for the defaults. */
const determined: Readonly<Record<string, Rule>> = {
  callbackUrl: Determined,
  documentType: Determined,
  events: rule('must be absent: name events in render({ events }), and listen to them in the page', () => false),
  fileType: Determined,
  key: Determined,
  title: Determined,
  token: Determined,
  url: Determined
}

/** Anything else would allow what it seems to forbid. */
const rights: RuleForEach<Rights> = {
  chat: TrueOrFalse,
  comment: TrueOrFalse,
  copy: TrueOrFalse,
  deleteCommentAuthorOnly: TrueOrFalse,
  download: TrueOrFalse,
  edit: TrueOrFalse,
  editCommentAuthorOnly: TrueOrFalse,
  fillForms: TrueOrFalse,
  modifyContentControl: TrueOrFalse,
  modifyFilter: TrueOrFalse,
  print: TrueOrFalse,
  protect: TrueOrFalse,
  review: TrueOrFalse
}

/** Permissions that are neither true nor false. */
const LISTS_OF_GROUPS: ReadonlySet<string> = new Set<Exclude<keyof DocumentPermissions, keyof Rights>>(['commentGroups', 'reviewGroups', 'userInfoGroups'])

/**
 * Checks what a control is made with. What is inside `document`, `editorConfig`, `customization` and so on may be known to newer
 * editors only, and passes, except what is determined by the document and misspelt permissions. Throws `InvalidOptionError`. Returns
 * them without fields that are `undefined`: these count as not given.
 */
export function checkedDefaults (defaults: EditorControlDefaults): EditorControlDefaults {
  if (!AnyObject.holds(defaults)) throw new InvalidOptionError('defaults', `must be an object such as { user, mode, permissions }, not ${kindOf(defaults)}`)
  for (const [name, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(rules, name) && !Object.hasOwn(determined, name)) throw unknownOption(name, rules)
    if (value !== undefined) assertValue(name, value, rules[name as keyof EditorControlDefaults] ?? determined[name]!)
  }
  const { document, editorConfig, permissions } = defaults
  if (document) assertKnown(document, { fileType: Determined, key: Determined, permissions: AnyObject, title: Determined, url: Determined }, 'document')
  if (editorConfig) assertKnown(editorConfig, { callbackUrl: Determined, mode: Mode }, 'editorConfig')
  if (permissions) assertRights(permissions, 'permissions')
  if (document?.permissions) assertRights(document.permissions, 'document.permissions')
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined))
}

/** A misspelt right would allow what it seems to forbid. Other unknown names pass: newer editors may know them. */
function assertRights (permissions: object, path: string): void {
  assertKnown(permissions, rights, path)
  for (const name of Object.keys(permissions)) {
    if (misspelt(name, Object.keys(rights)) !== undefined && !LISTS_OF_GROUPS.has(name)) throw unknownOption(name, rights, `${path}.`)
  }
}

/** Checks the properties that there is a rule for. */
function assertKnown (values: object, rules: Readonly<Record<string, Rule>>, path: string): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && Object.hasOwn(rules, name)) assertValue(`${path}.${name}`, value, rules[name]!)
  }
}
