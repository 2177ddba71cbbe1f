/*
EDITOR_API_URL, JWT_SECRET, PUBLIC_BASE_URL   the plugin's options editorApiUrl, jwtSecret and publicBaseUrl
DOCUMENT_SERVER_ADDRESS                       IP address of the document server's requests
TRUST_PROXY                                   IP address of the reverse proxy, if there is one
HOST, PORT                                    IP address and port to listen on. Default: 127.0.0.1, 3000
*/
import { createApp } from './app.js'

const {
  EDITOR_API_URL = '',
  JWT_SECRET = '',
  PUBLIC_BASE_URL = '',
  DOCUMENT_SERVER_ADDRESS,
  TRUST_PROXY,
  HOST = '127.0.0.1',
  PORT = '3000'
} = process.env

const app = await createApp({
  ...(DOCUMENT_SERVER_ADDRESS && { documentServerAddress: DOCUMENT_SERVER_ADDRESS }),
  server: { logger: true, trustProxy: TRUST_PROXY || false },
  editor: { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, publicBaseUrl: PUBLIC_BASE_URL }
})
await app.listen({ port: Number(PORT), host: HOST }).catch(error => {
  app.log.fatal(`${error.message}: see HOST and PORT`)
  process.exit(1)
})
