import Fastify from 'fastify'
import editor, { type EditorControl, type EditorOptions, FileNotFoundError, fileStorage, memoryStorage, type Storage, undiciClient } from 'fastify-onlyoffice'
import { CaptureError, captureDocument, mountEditor, unmountEditor } from 'fastify-onlyoffice/browser'
import { DocumentEditor } from 'fastify-onlyoffice/browser/document-editor'
import { createDocumentServer, type DocumentServer } from 'onlyoffice-emulator'

const storage: Storage = memoryStorage()
const options: EditorOptions = {
  editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
  jwtSecret: 'secret',
  publicBaseUrl: 'https://app.example.com',
  storage,
  httpClient: undiciClient({ timeouts: { connect: 1000 } }),
  onSaved: event => console.log(event.fileId satisfies string, event.size satisfies number)
}
const app = Fastify()
await app.register(editor, options)

const { fileId } = await app.editorStorage.create('docx', new Uint8Array())
const control: EditorControl = app.editorControl({ user: { id: '7', name: 'Ada' }, lang: 'de', permissions: { edit: false } })
await control.openDocument(fileId, { name: 'Report.docx' })

export const page: string = control.render()
export const pdf: Buffer = await control.convertToPdf({ maxAttempts: 3 })
export const code: string = new FileNotFoundError().code
export const kit: DocumentServer = await createDocumentServer({ jwtSecret: 'secret' })
export const files: Storage = fileStorage({ directory: 'files' })

export async function usePage (fragment: Element): Promise<File> {
  const docEditor = await mountEditor(fragment, { onRequestClose: async () => await unmountEditor(fragment, { timeout: 5000 }) })
  docEditor?.showMessage('Hello')
  return await captureDocument({ fragment, fileType: 'pdf' })
}
export const isDenied = (error: unknown): boolean => error instanceof CaptureError && error.code === 'denied'
export const closing: Promise<void> = new DocumentEditor().close({ force: true })

// @ts-expect-error there is no such code
export const isOther = (error: CaptureError): boolean => error.code === 'other'
// @ts-expect-error there is no such profile
await app.register(editor, { ...options, profile: 'lax' })
// @ts-expect-error a required option is missing
await app.register(editor, { editorApiUrl: options.editorApiUrl })
// @ts-expect-error the editor has no such setting
app.editorControl({ language: 'de' })
// @ts-expect-error a storage does not promise to remove
await app.editorStorage.remove(fileId)
