import { setTimeout as delay } from 'node:timers/promises'
import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

/** Until the records of documents that no longer exist have been looked for in the background. */
const SETTLED_MS = 80

const storage = fileStorage({ directory: process.argv[2]! })
await storage.stat('a')
await storage.close() // else a scan in the background could come in between
await delay(SETTLED_MS)
await between(() => storage.versions.list('a'))
