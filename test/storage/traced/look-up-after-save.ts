import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
for (let number = 0; number < 3; number++) {
  await storage.stat(`FILE-${number}`)
  await storage.replace(`FILE-${number}`, Buffer.from('saved'))
}
await storage.close() // else a scan in the background could come in between
await between(async () => {
  for (let number = 0; number < 20; number++) await storage.stat(`FILE-${number}`)
})
