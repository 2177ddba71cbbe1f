import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
await storage.stat('a')
await between(() => storage.replace('a', Buffer.from('new'), { extension: 'odt' }))
