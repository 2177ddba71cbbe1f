import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

await between(async () => {
  fileStorage({ directory: process.argv[2]! })
  await new Promise(resolve => setImmediate(resolve))
})
