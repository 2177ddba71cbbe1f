/*
EDITOR_API_URL, JWT_SECRET, PUBLIC_BASE_URL   as the plugin's options of these names
DOCUMENT_SERVER_ADDRESS                       IP address the document server's requests come from
TRUST_PROXY                                   address of the reverse proxy, if there is one
HOST, PORT                                    where to listen. Default: 127.0.0.1, 3000
*/
import { createApp } from './app.js'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', DOCUMENT_SERVER_ADDRESS, TRUST_PROXY, HOST = '127.0.0.1', PORT = '3000' } = process.env

const app = await createApp({
  ...(DOCUMENT_SERVER_ADDRESS && { documentServerAddress: DOCUMENT_SERVER_ADDRESS }),
  server: { logger: true, trustProxy: TRUST_PROXY || false },
  editor: { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, publicBaseUrl: PUBLIC_BASE_URL }
})
await app.listen({ port: Number(PORT), host: HOST })
