// The names that blocks of code in the documentation use without declaring them: the text around them introduces these.
// Their types are those that users get.
import type {} from '@fastify/jwt'
import type {} from '@fastify/multipart'
import type {} from '@fastify/session'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EditorControl, FastifyOnlyofficeOptions } from 'fastify-onlyoffice'
import type { DocumentEditor } from 'fastify-onlyoffice/browser/document-editor'
import type { s3Storage } from 'fastify-onlyoffice/s3'
import type { StorageDriver } from 'fastify-onlyoffice/storage'
import type { DocumentServer, EditorSession, FakeClock } from 'onlyoffice-emulator'
import type { Readable } from 'node:stream'

interface StoredDocument {
  readonly fileId: string
  readonly title: string
  readonly readers: readonly string[]
  readonly writers: readonly string[]
}

interface Person {
  readonly id: string
  readonly name: string
  readonly email?: string
}

declare module 'fastify' {
  interface FastifyContextConfig { public?: boolean }
  // Of @fastify/session
  interface Session { userId: string, userName: string, user?: { isAdmin: boolean } }
}

declare module '@fastify/jwt' {
  interface FastifyJWT { user: Person }
}

declare global {
  // The application
  const Fastify: typeof import('fastify').default
  const editor: typeof import('fastify-onlyoffice').default
  const helmet: typeof import('@fastify/helmet').default
  const fileStorage: typeof import('fastify-onlyoffice').fileStorage
  const app: FastifyInstance
  const options: FastifyOnlyofficeOptions
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
    insert (document: Partial<StoredDocument>): Promise<void>
    update (fileId: string, changes: Partial<StoredDocument>): Promise<void>
  }
  const people: {
    byIds (ids?: readonly string[]): Promise<Person[]>
    search (text: string): Promise<Person[]>
  }
  const page: (title: string, html: string) => string
  const storage: ReturnType<typeof s3Storage>
  interface Table { drop (): Promise<void> }
  const emptyTable: () => Promise<Table>
  const tableDriver: (table: Table) => StorageDriver
  const userSuppliedUrl: string
  const mail: { send (address: string, text: string): Promise<void> }
  const pager: { notify (text: string): void }
  const audit: { insertOnce (id: string, entry: object): Promise<void> }
  const webdavLocks: { find (fileId: string): Promise<{ readonly owner: string } | undefined> }
  const move: (fileId: string) => Promise<void>
  const searchIndex: { put (fileId: string, text: string): Promise<void> }

  // A page
  const fragment: HTMLElement
  const mountEditor: typeof import('fastify-onlyoffice/browser').mountEditor
  interface ParentNode { querySelector (selector: 'document-editor'): DocumentEditor }
  interface HTMLElementEventMap {
    requestinsertimage: CustomEvent<{ readonly c: string }>
  }

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
      // For other plugins.
      SESSION_SECRET: string
      LOGIN_SECRET: string
    }
  }
}
