import { setTimeout as delay } from 'node:timers/promises'
import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const SETTLED_MS = 80

const storage = fileStorage({ directory: process.argv[2]! })
await storage.ready()
await storage.stat('absent')
await delay(SETTLED_MS)
await storage.stat('absent')
await storage.close() // else a scan in the background could come in between
await between(async () => {
  await storage.stat('a') // known extension
  await storage.stat('a') // remembered
  await storage.stat('b') // unknown extension
  for (let number = 0; number < 20; number++) await storage.stat(`absent-${number}`)
})
