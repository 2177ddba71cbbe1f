import 'fastify-onlyoffice/browser/document-editor'
import type { DocumentEditor, DocumentEditorEventMap } from 'fastify-onlyoffice/browser/document-editor'

// No framework: neither React nor Vue is installed.
const element = document.createElement('document-editor')
console.log(element satisfies DocumentEditor, document.querySelector('document-editor') satisfies DocumentEditor | null)
element.src = '/documents/report/editor'
// @ts-expect-error
element.src = 7

element.addEventListener('onDocumentStateChange', function (event) {
  console.log(event.detail satisfies boolean, this.isUnsent)
})
element.addEventListener('onDocumentReady', event => console.log(event.detail satisfies null))
element.addEventListener('onError', event => console.log(event.detail.errorCode satisfies number | undefined))
element.addEventListener('click', event => console.log(event.clientX))
element.addEventListener('onOfANewerEditor', event => console.log(event.type), { once: true })
// @ts-expect-error its data is whether the document has changes
element.addEventListener('onDocumentStateChange', event => console.log(event.detail satisfies string))

function ready (this: DocumentEditor, event: DocumentEditorEventMap['onDocumentReady']): void {
  this.removeEventListener(event.type, ready as () => void)
}
element.addEventListener('onDocumentReady', ready)
element.removeEventListener('onDocumentReady', ready)

const anyElement: HTMLElement = element
document.body.append(anyElement)
