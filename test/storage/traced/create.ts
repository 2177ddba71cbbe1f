import { fileStorage } from '../../../lib/index.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
const fileId = 'a'
await (await storage.stage(fileId, (async function * () {})())).discard() // makes the folder
await between(() => storage.create('docx', Buffer.from('new'), { fileId }))
