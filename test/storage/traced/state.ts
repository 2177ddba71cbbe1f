import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const { ready, state } = fileStorage({ directory: process.argv[2]! })
await ready()
await between(async () => {
  for (let number = 0; number < 20; number++) await state.get(`absent-${number}`)
})
