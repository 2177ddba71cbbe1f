import type {} from 'fastify-onlyoffice/browser/react-types'

// React 18 sets all properties of custom elements as attributes, also className, and has none of their events.
export const page = <document-editor class='wide' src='/documents/report/editor' />

// @ts-expect-error
export const listening = <document-editor ondocumentready={() => {}} />
