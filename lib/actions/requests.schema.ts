import { type Static, type TSchema, Type } from 'typebox'
import type { PageActionName } from '../../types/actions.js'
import { EXTENSION } from '../document-server/formats.js'
import * as results from './results.schema.js'

// What pages send and get: the bodies of the actions' requests, in which other fields are ignored, and the answers.

export const MAX_USERS = 1000

/** What a user types to find something. */
const Search = Type.String({ maxLength: 200 })

/**
 * A place in a document, as the editor names it. Source: docs/document-server-protocol.md#events-and-what-answers-them
 */
const ActionLink = Type.Object({
  action: Type.Object({
    type: Type.String({ maxLength: 100 }),
    data: Type.String({ maxLength: 4000 })
  })
})

/** At most what fits into a cell. */
const CellText = Type.String({ minLength: 1, maxLength: 4000 })
/** How the editor names a source of linked data. */
const Linked = Type.Object({
  path: Type.Optional(CellText),
  referenceData: Type.Optional(Type.Object({ fileKey: Type.Optional(CellText), instanceId: Type.Optional(CellText) }))
})
export type Linked = Static<typeof Linked>

/** A file that the document server has made for an editor. */
const NamedResult = Type.Object({
  url: Type.String({ maxLength: 16_000 }),
  fileType: Type.String({ pattern: EXTENSION })
})
export type NamedResult = Static<typeof NamedResult>

const Version = Type.Integer({ minimum: 1 })

/** Nothing that could begin another header or address of a mail. */
const Email = Type.String({ maxLength: 320, pattern: /^[^\s,;<>"()\p{Cc}]+@[^\s,;<>"()@\p{Cc}]+$/u })

/** Of an action that needs nothing else than the page's token. */
const Empty = Type.Object({})

const NewDocument = Type.Object({
  format: Type.Optional(Type.String({ pattern: EXTENSION })),
  lang: Type.Optional(Type.String({ pattern: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/ }))
})

/** Of each action's request. */
export const bodies = {
  config: Type.Object({
    /**
     * `refresh`: for the editor that is open. `reopen`: for another one in its place. `edit`: for another one that may
     * edit. `retry`: for another one after the document server could not convert the document.
     */
    purpose: Type.Union([Type.Literal('refresh'), Type.Literal('reopen'), Type.Literal('edit'), Type.Literal('retry')]),
    actionLink: Type.Optional(ActionLink),
    /** With `refresh` and `retry`: the document key that is not to be used again. */
    key: Type.Optional(Type.String({ maxLength: 255 }))
  }),
  renew: Empty,
  rename: Type.Object({ name: Type.String({ maxLength: 1000 }) }),
  'save-as': Type.Object({ ...NamedResult.properties, title: Type.String({ maxLength: 4000 }) }),
  images: Type.Object({
    c: Type.Enum(['add', 'change', 'fill', 'watermark', 'slide']),
    search: Type.Optional(Search)
  }),
  documents: Type.Object({
    c: Type.Enum(['compare', 'combine', 'insert-text']),
    search: Type.Optional(Search)
  }),
  spreadsheets: Type.Object({
    ...Linked.properties,
    c: Type.Enum(['mailmerge', 'reference']),
    search: Type.Optional(Search)
  }),
  reference: Type.Object({ ...Linked.properties, link: Type.Optional(CellText) }),
  users: Type.Object({
    c: Type.Enum(['mention', 'protect', 'info', 'filler']),
    /** As the editor calls it. */
    id: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MAX_USERS })),
    search: Type.Optional(Search),
    from: Type.Optional(Type.Integer({ minimum: 0 })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_USERS }))
  }),
  notify: Type.Object({
    emails: Type.Array(Email, { minItems: 1, maxItems: 100 }),
    message: Type.String({ maxLength: 10_000 }),
    actionLink: Type.Optional(ActionLink),
    /** URL of the page. */
    link: Type.Optional(Type.String({ maxLength: 4000 }))
  }),
  sharing: Empty,
  favorite: Type.Object({ favorite: Type.Boolean() }),
  'save-state': Type.Object({
    /** The document key of the editor in the page. */
    key: Type.String({ maxLength: 255 })
  }),
  create: Type.Object({
    ...NewDocument.properties,
    /** As the page got it. */
    template: Type.Optional(Type.Object({
      id: Type.String({ maxLength: results.MAX_TEMPLATE_ID }),
      token: Type.String({ maxLength: 100 })
    }))
  }),
  templates: Type.Object({ ...NewDocument.properties, search: Type.Optional(Search) }),
  history: Empty,
  'history-data': Type.Object({ version: Version }),
  restore: Type.Object({ version: Version, ...Type.Partial(NamedResult).properties })
} satisfies Readonly<Record<PageActionName, TSchema>>
export type Bodies = { readonly [Name in keyof typeof bodies]: Static<(typeof bodies)[Name]> }

const Any = Type.Object({}, { description: 'Signed: the argument of a method of the editor.' })

const VersionContent = {
  fileType: Type.String({ pattern: EXTENSION }),
  key: Type.String(),
  url: Type.String({ format: 'uri' })
}

/** Answers to each action, for API documentation only. `tokens` are in all of them. */
export function answersWith (tokens: Readonly<Record<string, TSchema>>) {
  const answer = <Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) =>
    Type.Object({ ...tokens, ...fields })
  const Choices = answer({
    choices: Type.Array(Type.Object({
      name: Type.String(),
      fileType: Type.String({ pattern: EXTENSION }),
      thumbnail: Type.Optional(Type.String({ format: 'uri' })),
      data: Any
    }))
  })

  return {
    config: answer({
      config: Type.Object({}, { description: 'Signed configuration of the editor.' }),
      lockReason: Type.Optional(Type.String({ description: 'Why it is for viewing only; empty without a reason.' })),
      actions: Type.String({ description: 'Names of what the page may ask for, separated by spaces.' })
    }),
    renew: answer({
      lockReason: Type.Optional(Type.String({ description: 'Why the document is frozen; empty without a reason.' }))
    }),
    rename: answer({ name: Type.String() }),
    'save-as': answer({
      name: Type.String(),
      fileId: Type.Optional(Type.String()),
      url: Type.Optional(results.PageUrl),
      isDownload: Type.Optional(Type.Boolean({ description: 'No editor opens it: nothing was stored.' }))
    }),
    images: Choices,
    documents: Choices,
    spreadsheets: Choices,
    reference: Type.Union([
      answer({
        ...VersionContent,
        path: Type.String(),
        referenceData: Type.Object({}),
        page: Type.Optional(results.PageUrl),
        token: Type.String()
      }),
      answer({ error: Type.String() })
    ]),
    users: answer({ c: Type.String(), users: results.Users }),
    notify: answer({}),
    sharing: answer({
      sharingSettings: Type.Optional(results.SharingSettings),
      url: Type.Optional(results.PageUrl)
    }),
    favorite: answer({}),
    'save-state': answer({
      saved: Type.Boolean({ description: '`false` if the latest save of the session was refused.' }),
      since: Type.Optional(Type.String({ format: 'date-time' })),
      code: Type.Optional(Type.String({ description: 'Error code of the plugin, if it has one.' })),
      message: Type.Optional(Type.String({ description: 'Of the hook `inspect`, for the user: plain text.' }))
    }),
    create: answer({ ...results.CreatedPage.properties }),
    templates: answer({
      choices: Type.Array(Type.Object({
        name: Type.String(),
        fileType: Type.Optional(Type.String({ pattern: EXTENSION })),
        thumbnail: Type.Optional(Type.String({ format: 'uri' })),
        data: Type.Object({ id: Type.String(), token: Type.String() })
      }))
    }),
    history: answer({
      currentVersion: Type.Integer({ minimum: 0 }),
      history: Type.Array(Type.Object({
        version: Version,
        key: Type.String(),
        created: Type.String(),
        user: Type.Object({ id: Type.String(), name: Type.String() }),
        changes: Type.Union([Type.Array(Type.Object({})), Type.Null()]),
        serverVersion: Type.Optional(Type.String()),
        restored: Type.Optional(Version),
        name: Type.Optional(Type.String()),
        comment: Type.Optional(Type.String())
      }))
    }),
    'history-data': Type.Union([
      answer({
        ...VersionContent,
        version: Version,
        previous: Type.Optional(Type.Object(VersionContent)),
        changesUrl: Type.Optional(Type.String({ format: 'uri' })),
        token: Type.String()
      }),
      answer({ error: Type.String(), version: Version })
    ]),
    restore: answer({ version: Version })
  } satisfies Readonly<Record<PageActionName, TSchema>>
}
