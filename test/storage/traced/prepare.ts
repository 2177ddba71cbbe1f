import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const { ready } = fileStorage({ directory: process.argv[2]! })
await between(ready)
