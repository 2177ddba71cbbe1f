import { fileStorage } from '../../../lib/index.js'
import { between } from './mark.js'

const { versions, ...storage } = fileStorage({ directory: process.argv[2]! })
for (let kept = 0; kept < 2; kept++) {
  const { revision } = (await storage.stat('a'))!
  await versions.keep('a', revision)
  await storage.replace('a', Buffer.from('new'))
}
const { revision } = (await storage.stat('a'))!
await between(() => versions.keep('a', revision, { changes: Buffer.from('changes') }))
