import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { postSigned } from '../../../../emulator/test/support.js'
import { startSaved } from '../saved-file.js'

const BUSY = { type: 'answer', status: 503, body: 'busy' } as const

t.test('a fault applies to its own route only, at each of the route\'s paths', async t => {
  const { server, url } = await startSaved(t, { clock: fakeClock({ autoAdvance: true }) })
  const conversion = { async: true, filetype: 'txt', outputtype: 'pdf', key: 'C', title: 'a.txt', url: 'http://127.0.0.1:1/' }
  const routes = {
    file: [() => fetch(url)],
    converter: ['/converter', '/ConvertService.ashx'].map(path => () => postSigned(server.url + path, conversion)),
    command: ['/command', '/coauthoring/CommandService.ashx'].map(path => () => postSigned(server.url + path, { c: 'version' })),
    builder: [() => postSigned(`${server.url}/docbuilder`, { async: true, url: 'http://127.0.0.1:1/' })],
    formats: [() => fetch(`${server.url}/meta/formats`)],
    healthcheck: [() => fetch(`${server.url}/healthcheck`)],
    api: [() => fetch(server.editorApiUrl)]
  }
  const names = Object.keys(routes) as Array<keyof typeof routes>
  for (const struck of names) {
    const takeBack = server.fault(struck, BUSY, { times: Infinity })
    for (const name of names) {
      for (const call of routes[name]) {
        const response = await call()
        await response.arrayBuffer()
        t.equal(response.status, name === struck ? 503 : 200, `${name} while ${struck} fails`)
      }
    }
    takeBack()
  }
})

t.test('api.js is missing as long as its fault lasts', async t => {
  const { server } = await startSaved(t)
  const remove = server.fault('api', {
    type: 'answer',
    status: 404,
    body: '<h1>404 Not Found</h1>',
    headers: { 'content-type': 'text/html' }
  }, { times: Infinity })
  for (let times = 0; times < 2; times++) {
    const response = await fetch(server.editorApiUrl)
    t.strictSame([response.status, response.headers.get('content-type'), await response.text()], [404, 'text/html', '<h1>404 Not Found</h1>'])
  }
  remove()
  t.match(await (await fetch(server.editorApiUrl)).text(), /DocsAPI/)
})

t.test('the requested operation has been carried out even though the answer is faulty', async t => {
  const { server, session } = await startSaved(t)
  server.fault('command', BUSY)
  await session.edit('once more')
  const response = await postSigned(`${server.url}/command`, { c: 'forcesave', key: session.key })
  t.equal(response.status, 503)
  await response.text()
  await server.nextCallback(6)
  t.match((await server.nextCallback(6)).body, { forcesavetype: 0 }, 'the force save follows all the same')
})
