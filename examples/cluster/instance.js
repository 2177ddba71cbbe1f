/*
One instance. All instances have the same settings, except for HOST and PORT:

EDITOR_API_URL                 the document server's api.js, as browsers reach it
DOCUMENT_SERVER_INTERNAL_URL   origin at which the instances reach the document server, if not that of EDITOR_API_URL
JWT_SECRET                     the document server's
PUBLIC_BASE_URL                the load balancer, as the document server reaches it
S3_ENDPOINT, S3_BUCKET         the object store. Without S3_ENDPOINT it is AWS
AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY   read by the S3 client itself
HOST, PORT                     IP address and port to listen on. Default: 127.0.0.1, 3000
LOG_LEVEL                      Default: info
*/
import { S3Client } from '@aws-sdk/client-s3'
import { s3Storage } from 'fastify-onlyoffice/s3'
import { createApp } from './app.js'

const {
  EDITOR_API_URL = '', DOCUMENT_SERVER_INTERNAL_URL, JWT_SECRET = '', PUBLIC_BASE_URL = '', S3_ENDPOINT, S3_BUCKET = '',
  HOST = '127.0.0.1', PORT = '3000', LOG_LEVEL = 'info'
} = process.env

const client = new S3Client(S3_ENDPOINT ? { endpoint: S3_ENDPOINT, forcePathStyle: true } : {})
const storage = s3Storage({
  client,
  bucket: S3_BUCKET,
  prefix: 'documents/',
  // The document server fetches documents from the object store itself: instances only tell it where. It has to reach
  // S3_ENDPOINT. If it reaches the store by another URL, pass a client with that endpoint: { client }.
  redirectDownloads: true
})

const app = await createApp({
  server: { logger: { level: LOG_LEVEL } },
  editor: {
    editorApiUrl: EDITOR_API_URL,
    ...(DOCUMENT_SERVER_INTERNAL_URL && { documentServer: { internalUrl: DOCUMENT_SERVER_INTERNAL_URL } }),
    jwtSecret: JWT_SECRET,
    publicBaseUrl: PUBLIC_BASE_URL,
    storage,
    versions: { keep: 50 }
  }
})
await app.listen({ host: HOST, port: Number(PORT) }).catch(error => {
  app.log.fatal(`${error.message}: see HOST and PORT`)
  process.exit(1)
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

/**
 * Finishes the saves that are under way (timeouts.close, 30 s), and refuses others with status 503, which the load
 * balancer then sends to another instance. Give the process more than these 30 s before it is killed.
 */
async function stop () {
  await app.close()
  await storage.close()
  client.destroy()
}
