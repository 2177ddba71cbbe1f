import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
await storage.stat('a')
await storage.close() // else a scan in the background could come in between
await between(() => storage.versions.list('a'))
