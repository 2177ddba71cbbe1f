import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { parseHttpUrl } from '../../lib/util/url.js'
import { NEW, startEditing } from '../kit/editing.js'
import { savedAt, startUpstream } from '../kit/http.js'

/** Node.js optimizes what was called so often; from then on `URL.canParse` of 20 and 22 refuses the host below. */
const OFTEN = 20_000

t.test('a document server whose host name contains a letter such as ü is reached, however long the service runs', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end(NEW))
  const httpClient = undiciClient({
    lookup: (_hostname, options, callback) =>
      options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
  })
  t.teardown(() => httpClient.close?.())
  const origin = `http://b\u00fccher.invalid:${upstream.port}`
  const editing = await startEditing(t, { documentServer: { origins: [origin] }, httpClient })

  const callback = JSON.stringify({ url: `${origin}/output.docx` })
  for (let call = 0; call < OFTEN; call++) parseHttpUrl((JSON.parse(callback) as { url: string }).url)

  t.equal(await editing.post({ status: 2, url: savedAt(new URL(origin).origin, editing.key) }), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
  t.strictSame(upstream.requests, [savedAt('', editing.key)])
})
