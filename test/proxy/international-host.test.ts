import t from 'tap'
import { undiciClient } from '../../lib/index.js'
import { startHost } from '../helpers/host.js'
import { startUpstream } from '../helpers/listen.js'

/** Node.js optimizes what was called so often; from then on `URL.canParse` of 20 and 22 refuses the host below. */
const OFTEN = 20_000

t.test('a document server whose host has a letter such as ü is reached, however long the service runs', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const httpClient = undiciClient({ lookup: (_hostname, options, callback) => options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4) })
  t.teardown(() => httpClient.close?.())
  const origin = `http://b\u00fccher.invalid:${upstream.port}`
  const host = await startHost(t, { documentServerOrigin: origin, httpClient })
  const { parseHttpUrl } = await import('../../lib/security/http-url.js')
  for (let call = 0; call < OFTEN; call++) parseHttpUrl(`${origin}/x`)
  for (const url of [`${origin}/x`, `http://xn--bcher-kva.invalid:${upstream.port}/x`]) {
    const response = await fetch(host.handler({ action: 'proxy', url }))
    t.equal(response.status, 200)
    t.equal(await response.text(), 'through')
  }
})
