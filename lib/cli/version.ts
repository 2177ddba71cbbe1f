import { createRequire } from 'node:module'

export const VERSION: string = createRequire(import.meta.url)('fastify-onlyoffice/package.json').version
