import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const { ready, state } = fileStorage({ directory: process.argv[2]! })
await ready()
await between(() => state.set('a', 1, null))
