import { Type } from 'typebox'
import { isHttpUrl, isPageUrl } from '../url.js'

// What pages send and hooks return, where several actions have it.

export const HttpUrl = Type.Refine(Type.String(), isHttpUrl)
export const PageUrl = Type.Refine(Type.String(), isPageUrl)

/** What a user types to find something. */
export const Search = Type.String({ maxLength: 200 })

/** A place in a document, as the editor names it. Source: docs/document-server-protocol.md#events-and-what-answers-them */
export const ActionLink = Type.Object({
  action: Type.Object({
    type: Type.String({ maxLength: 100 }),
    data: Type.String({ maxLength: 4000 })
  })
})
