import t from 'tap'
import { sign, startBoth, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0], tokens?: { browser: boolean }) {
  const { host, server } = await startBoth(t, tokens && { tokens })
  async function ask (query: string, body?: string) {
    const response = await fetch(`${server.url}/doc/K/c/?EIO=4&transport=polling${query}`, body === undefined ? {} : { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }
  /** What a connection with this is answered. */
  async function connect (auth: string): Promise<string> {
    const { sid } = JSON.parse((await ask('')).text.slice(1)) as { sid: string }
    t.match(await ask(`&sid=${sid}`), { status: 200, text: '6' }, 'nothing before it connects')
    t.match(await ask(`&sid=${sid}`, `40${auth}`), { status: 200, text: 'ok' })
    const { text } = await ask(`&sid=${sid}`)
    t.match(await ask(`&sid=${sid}`), { status: 400 }, 'told once')
    return text
  }
  return { host, connect, ask }
}

t.test('a connection by polling without a valid token is refused: not authorized, 4006', async t => {
  const { host, connect, ask } = await start(t)
  const refused = (code: number, description: string) => `44${JSON.stringify({ message: 'not authorized', data: { code, description } })}`
  for (const auth of ['', '{}', 'null', '{']) t.equal(await connect(auth), refused(4006, 'token:jwt must be provided'), auth)
  t.equal(await connect('{"token":"x.y.z"}'), refused(4006, 'token:jwt malformed'))
  t.equal(await connect(JSON.stringify({ token: sign({ exp: 1 }) })), refused(4005, 'token:jwt expired'))
  t.match(await connect(JSON.stringify({ token: host.config('K').token })), /^40\{"sid":"[\w-]+"\}$/)
  t.match(await ask('&sid=unknown'), { status: 400 })
})

t.test('without tokens for the browser a connection by polling is let in without one', async t => {
  const { connect } = await start(t, { browser: false })
  t.match(await connect(''), /^40\{"sid":"[\w-]+"\}$/)
})
