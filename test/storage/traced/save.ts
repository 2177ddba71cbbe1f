import { fileStorage } from '../../../lib/storage/file-storage.js'
import { between } from './mark.js'

const { state, ...storage } = fileStorage({ directory: process.argv[2]! })
const { revision } = (await storage.stat('a'))!
const version = await state.set('a', 'a session', null)

/** As a save does it. */
await between(async () => {
  const staged = await storage.stage('a', (async function * () { yield Buffer.from('new') })())
  let locked: string | null = null
  await storage.replace('a', staged, {
    ifRevision: revision,
    async beforePublish () { locked = await state.set('a', 'a lock', version, { durable: false }) }
  })
  await state.set('a', 'a save', locked)
  await staged.discard()
})
