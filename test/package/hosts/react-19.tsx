import type {} from 'fastify-onlyoffice/browser/react-types'

export const page = (
  <document-editor
    className='wide'
    src='/documents/report/editor'
    ondocumentready={event => console.log(event.detail satisfies null)}
    ondocumentstatechange={event => console.log(event.detail satisfies boolean)}
  />
)

// @ts-expect-error its data is whether the document has changes
export const wrong = <document-editor ondocumentstatechange={event => console.log(event.detail satisfies string)} />
