import 'fastify-onlyoffice/browser/document-editor'
import type { DocumentEditor, DocumentEditorEventMap } from 'fastify-onlyoffice/browser/document-editor'

// No framework: neither React nor Vue is installed.
const element = document.createElement('document-editor')
console.log(element satisfies DocumentEditor, document.querySelector('document-editor') satisfies DocumentEditor | null)
element.src = '/documents/report/editor'
// @ts-expect-error
element.src = 7

element.addEventListener('documentstatechange', function (event) {
  console.log(event.detail satisfies boolean, this.isUnsent)
})
element.addEventListener('documentready', event => console.log(event.detail satisfies null))
element.addEventListener('savestatechange', event => console.log(event.detail.saved satisfies boolean))
element.addEventListener('editorerror', event => console.log(event.detail.errorCode satisfies number | undefined))
element.addEventListener('error', event => console.log(event.message satisfies string))
element.addEventListener('click', event => console.log(event.clientX))
element.addEventListener('ofanewereditor', event => console.log(event.type), { once: true })
// @ts-expect-error its data is whether the document has changes
element.addEventListener('documentstatechange', event => console.log(event.detail satisfies string))

function ready (this: DocumentEditor, event: DocumentEditorEventMap['documentready']): void {
  this.removeEventListener(event.type, ready as () => void)
}
element.addEventListener('documentready', ready)
element.removeEventListener('documentready', ready)

const anyElement: HTMLElement = element
document.body.append(anyElement)
