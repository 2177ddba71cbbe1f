import Fastify from 'fastify'
import editor, { type EditorControl, type FastifyOnlyofficeOptions, FileNotFoundError, fileStorage, memoryStorage, type EditorStorage, undiciClient } from 'fastify-onlyoffice'
import { CaptureError, captureDocument, mountEditor, unmountEditor } from 'fastify-onlyoffice/browser'
import { DocumentEditor } from 'fastify-onlyoffice/browser/document-editor'
import { httpClientConformance, storageConformance } from 'fastify-onlyoffice/conformance'
import { createDocumentServer, type DocumentServer } from 'onlyoffice-emulator'

const storage: EditorStorage = memoryStorage()
const options: FastifyOnlyofficeOptions = {
  editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
  jwtSecret: 'secret',
  publicBaseUrl: 'https://app.example.com',
  storage,
  httpClient: undiciClient({ timeouts: { connect: 1000 } }),
  onSaved: event => console.log(event.fileId satisfies string, event.stored.size satisfies number),
  onCallback (event) {
    // @ts-expect-error its type is not known before the status is
    console.log(event.url satisfies string | undefined)
    if (event.status === 2) console.log(event.url satisfies string | undefined, event.notmodified satisfies boolean | undefined)
    else if (event.status === 6) console.log(event.forcesavetype satisfies number | undefined)
    else console.log(event.status satisfies 1 | 3 | 4 | 5 | 7)
  }
}
const app = Fastify()
await app.register(editor, options)

const { fileId } = await app.editorStorage.create('docx', new Uint8Array())
const control: EditorControl = app.editorControl({ user: { id: '7', name: 'Ada' }, lang: 'de', permissions: { edit: false } })
await control.openDocument(fileId, { title: 'Report.docx' })
const maybe: string | undefined = process.env.MAYBE
app.editorControl({ user: { id: '7', name: maybe }, lang: maybe as 'de' | undefined, permissions: undefined, customization: { about: undefined } })

export const page: string = control.render()
export const pdf: Buffer = await control.convertToPdf({ maxAttempts: 3 })
export const code: string = new FileNotFoundError().code
export const kit: DocumentServer = await createDocumentServer({ jwtSecret: 'secret' })
export const files: EditorStorage = fileStorage({ directory: 'files' })

const test = (name: string, run: () => Promise<void>) => console.log(name, run)
await storageConformance({ test, create: () => ({ storage: memoryStorage() }) })
await httpClientConformance({ test, create: async () => ({ client: undiciClient() }) })
// @ts-expect-error the storage itself
await storageConformance({ test, create: () => memoryStorage() })

export async function usePage (fragment: Element): Promise<File> {
  const docEditor = await mountEditor(fragment, { onRequestClose: async () => await unmountEditor(fragment, { timeout: 5000 }) })
  docEditor?.showMessage('Hello')
  return await captureDocument({ fragment, fileType: 'pdf' })
}
export const isDenied = (error: unknown): boolean => error instanceof CaptureError && error.code === 'denied'
export const closing: Promise<void> = new DocumentEditor().close({ force: true })

export function codeOf (error: unknown): string | undefined {
  // @ts-expect-error a class is no function
  if (error instanceof FileNotFoundError) return FileNotFoundError()
  return error instanceof FileNotFoundError ? error.code : undefined
}

// @ts-expect-error the class has no such argument
export const surplus = new FileNotFoundError(7)
// @ts-expect-error an error is no string
export const notText: string = new FileNotFoundError()
// @ts-expect-error there is no such code
export const isOther = (error: CaptureError): boolean => error.code === 'other'
// @ts-expect-error there is no such profile
await app.register(editor, { ...options, profile: 'lax' })
// @ts-expect-error there is no such option
await app.register(editor, { ...options, secret: 'secret' })
// @ts-expect-error a time is a number
await app.register(editor, { ...options, timeouts: { total: '30s' } })
// @ts-expect-error a required option is missing
await app.register(editor, { editorApiUrl: options.editorApiUrl })
// @ts-expect-error the editor has no such setting
app.editorControl({ language: 'de' })
await app.editorStorage.remove(fileId)
