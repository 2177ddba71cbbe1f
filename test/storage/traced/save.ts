import { fileStorage } from '../../../lib/index.js'
import { between } from './mark.js'

const storage = fileStorage({ directory: process.argv[2]! })
const { revision } = (await storage.stat('a'))!
const version = await storage.state.set('a', 'a session', null)

/** As a save does it. */
await between(async () => {
  const staged = await storage.stage('a', (async function * () { yield Buffer.from('new') })())
  await storage.commit('a', staged, { ifRevision: revision, ifRecordVersion: version, record: () => 'saved', keep: () => ({}) })
  await staged.discard()
})
