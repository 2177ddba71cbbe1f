import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const directory = process.argv[2]!
const storage = fileStorage({ directory })
await storage.ready()
await storage.close() // else a scan in the background could come in between
await between(async () => {
  for (let number = 0; number < 20; number++) {
    writeFileSync(join(directory, 'another.pdf'), '')
    await storage.stat(`absent-${number}`)
    rmSync(join(directory, 'another.pdf'))
    await storage.stat(`absent-${number}`)
  }
})
