import type { Settings } from '../options.js'

/** Names of security schemes that a request must satisfy, all of one of these. `{}`: none. */
type Requirements = Array<Record<string, string[]>>

const urlSignature = {
  editorUrlSignature: { type: 'apiKey', in: 'query', name: 'signature', description: 'Signature of the URL, which the control of a document makes. It is for one action and one document.' }
}
const proxyToken = {
  editorProxyToken: { type: 'apiKey', in: 'header', name: 'x-editor-proxy-token', description: 'The `proxyToken` of a control: for the document of its page, until it expires.' }
}
const pageToken = {
  editorPageToken: { type: 'apiKey', in: 'header', name: 'x-editor-page-token', description: 'The `pageToken` of a control: for the document and the user of its page, until it expires.' }
}

/** The credentials that the options require of the requests. `authorize` may let others pass. */
export function securityOf ({ documentServer, proxy, requireToken, signedUrls }: Pick<Settings, 'documentServer' | 'proxy' | 'requireToken' | 'signedUrls'>) {
  const signature = signedUrls ? required(urlSignature) : {}
  const token = requireToken ? required(serverToken(documentServer)) : {}
  const page = proxy.requireToken ? required(proxyToken) : {}
  const download = signedUrls ? signature : token
  return {
    schemes: {
      ...(signedUrls && urlSignature),
      ...(requireToken && serverToken(documentServer)),
      ...(proxy.requireToken && proxyToken),
      ...pageToken
    },
    security: {
      handlerGet: eitherOf(download, page),
      handlerPost: eitherOf({ ...signature, ...token }, page),
      action: [required(pageToken)] as Requirements
    }
  }
}

function serverToken ({ authorizationHeader, authorizationPrefix }: Settings['documentServer']): object {
  const description = 'A JSON Web Token of the document server, signed with `jwtSecret`. A callback may have it in its body instead.'
  const isBearer = authorizationHeader === 'authorization' && /^bearer $/i.test(authorizationPrefix)
  return {
    editorDocumentServer: isBearer
      ? { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }
      : { type: 'apiKey', in: 'header', name: authorizationHeader, description }
  }
}

function required (schemes: object): Record<string, string[]> {
  return Object.fromEntries(Object.keys(schemes).map(name => [name, []]))
}

function eitherOf (first: Record<string, string[]>, second: Record<string, string[]>): Requirements {
  return JSON.stringify(first) === JSON.stringify(second) ? [first] : [first, second]
}
