// The names that blocks of code in the documentation use without declaring them: the text around them introduces these. Their types
// are those that users get.
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { EditorControl, EditorOptions, Storage } from 'fastify-onlyoffice'
import type { DocumentEditor } from 'fastify-onlyoffice/browser/document-editor'
import type { s3Storage } from 'fastify-onlyoffice/s3'
import type { DocumentServer, EditorSession, FakeClock } from 'onlyoffice-emulator'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

interface StoredDocument {
  readonly fileId: string
  readonly title: string
  readonly readers: readonly string[]
  readonly writers: readonly string[]
}

/** Of the user who is logged in, by a plugin of the application. */
interface Session {
  readonly userId: string
  readonly userName: string
  readonly user?: { readonly isAdmin: boolean }
}

interface Person {
  readonly id: string
  readonly name: string
}

/** What a request has is not typed in JavaScript. */
interface Untyped extends FastifyTypeProvider {
  readonly validator: Readonly<Record<string, any>>
}

declare module 'fastify' {
  interface FastifyRequest { readonly session: Session }
}

declare global {
  // The application
  const Fastify: typeof import('fastify').default
  const editor: typeof import('fastify-onlyoffice').default
  const fileStorage: typeof import('fastify-onlyoffice').fileStorage
  const app: FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, Untyped>
  const options: EditorOptions
  const request: FastifyRequest
  const reply: FastifyReply
  const jwtSecret: string
  const publicBaseUrl: string

  // A document
  const control: EditorControl
  const fileId: string
  const bytesOrStream: Uint8Array | Readable

  // What the application has besides
  const documents: {
    find (fileId: string): Promise<StoredDocument | undefined>
    readableBy (userId: string | undefined, search?: string): Promise<StoredDocument[]>
    update (fileId: string, changes: Partial<StoredDocument>): Promise<void>
  }
  const people: {
    byIds (ids?: readonly string[]): Promise<Person[]>
    search (text: string): Promise<Person[]>
  }
  const page: (title: string, html: string) => string
  const storage: ReturnType<typeof s3Storage>
  const tableStorage: (table: object) => Storage
  const emptyTable: () => Promise<object>
  const userSuppliedUrl: string

  // A page
  const fragment: HTMLElement
  const mountEditor: typeof import('fastify-onlyoffice/browser').mountEditor
  interface ParentNode { querySelector (selector: 'document-editor'): DocumentEditor }
  interface HTMLElementEventMap { onRequestInsertImage: CustomEvent<{ readonly c: string }> }

  // A test
  const documentServer: DocumentServer
  const session: EditorSession
  const clock: FakeClock

  // A script of the document builder, which runs at the document server
  const builder: any
  const Api: any
  const Argument: any

  namespace NodeJS {
    interface ProcessEnv {
      // Set, as the pages say.
      JWT_SECRET: string
      EDITOR_API_URL: string
      PUBLIC_BASE_URL: string
      DOCUMENT_SERVER_INTERNAL_URL: string
    }
  }
}
