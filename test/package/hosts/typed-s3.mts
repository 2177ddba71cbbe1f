import { S3Client } from '@aws-sdk/client-s3'
import type { EditorStorage } from 'fastify-onlyoffice'
import { s3Storage } from 'fastify-onlyoffice/s3'

export const bucket: EditorStorage = s3Storage({ client: new S3Client({}), bucket: 'documents' })
export const sweep = async (): Promise<number> => (await s3Storage({ client: new S3Client({}), bucket: 'documents' }).sweep()).objects
// @ts-expect-error a bucket is missing
s3Storage({ client: new S3Client({}) })
// @ts-expect-error a client is no URL
s3Storage({ client: 'https://s3.example.com', bucket: 'documents' })
