import 'fastify-onlyoffice/browser/react'

export const page = (
  <document-editor
    className='wide'
    src='/documents/report/editor'
    ononDocumentReady={event => console.log(event.detail satisfies null)}
    ononDocumentStateChange={event => console.log(event.detail satisfies boolean)}
  />
)

// @ts-expect-error its data is whether the document has changes
export const wrong = <document-editor ononDocumentStateChange={event => console.log(event.detail satisfies string)} />
