import { fileStorage } from '../../../lib/index.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
await storage.state.set('a', 'a session', null)
await between(() => storage.replace('a', Buffer.from('new'), { fileType: 'odt' }))
