import t from 'tap'
import { memoryStorage, type EditorStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

t.test('a storage that lacks a member is refused at registration', async t => {
  const storage = memoryStorage()
  for (const name of ['ready', 'stat', 'read', 'create', 'replace', 'remove', 'versions', 'stage', 'commit', 'snapshot', 'state'] as const) {
    const { [name]: missing, ...others } = storage
    await t.rejects(startHost(t, { storage: others as unknown as EditorStorage }), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: /storage must be what fileStorage, .* or documentStorage returns/
    }, name)
  }
})
