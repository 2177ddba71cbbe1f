import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { knownVersions } from '../../lib/doctor/check-server.js'
import { startUpstream } from '../kit/http.js'
import { plainEnvironment, root, run } from '../kit/programs.js'

const [ours, theirs, docs] = ['somebody/ours', 'ONLYOFFICE/DocumentServer', 'ONLYOFFICE/api.onlyoffice.com']
const known = [...knownVersions.map(version => `v${version}.0`), 'v8.3.2']

/** GitHub, with these releases of a document server beside the known ones. */
async function startGitHub (t: Test, { tags = [], failing }: { readonly tags?: readonly string[], readonly failing?: string } = {}) {
  const issues: Array<{ readonly title: string, readonly body: string }> = []
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    [`${theirs}/releases`]: [...[...tags, ...known].map(tag => ({ tag_name: tag })), { tag_name: 'v99.0.0', draft: true }],
    'Euro-Office/DocumentServer/releases': [{ tag_name: 'v9.3.2' }],
    [`${docs}/commits`]: ['2026-11-29T08:00:00Z', '2026-10-15T12:00:00Z'].map(date => ({ sha: date, commit: { committer: { date } } }))
  }
  const api = await startUpstream(t, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, api.origin)
    const path = pathname.slice('/repos/'.length)
    if (path === failing) response.writeHead(500).end('[]')
    else if (request.method === 'POST') {
      issues.push(JSON.parse(await text(request)))
      response.writeHead(201).end('{}')
    } else response.end(JSON.stringify(lists[path] ?? issues.slice(Number(searchParams.get('page')) - 1, Number(searchParams.get('page')))))
  })
  return {
    issues,
    look: async () =>
      await run(process.execPath, ['scripts/document-server-releases.js'], {
        cwd: root,
        env: { ...plainEnvironment, GITHUB_API_URL: api.origin, GITHUB_TOKEN: 'a-token', GITHUB_REPOSITORY: ours }
      })
  }
}

t.test('each new release, and each change of the documentation, gets one issue', async t => {
  const { issues, look } = await startGitHub(t, { tags: ['v99.1.0-hotfix.1', 'v99.1.0'] })
  for (let time = 0; time < 2; time++) {
    await look()
    t.strictSame(issues.map(({ title }) => title), [
      'Document server: 99.1.0-hotfix.1', 'Document server: 99.1.0',
      'Documentation of the document server: changed on 2026-11-29'
    ])
  }
})

for (const failing of [`${theirs}/releases`, `${docs}/commits`, `${ours}/issues`]) {
  t.test(`nothing is opened, and the run fails, when ${failing} cannot be read`, async t => {
    const { issues, look } = await startGitHub(t, { tags: ['v99.1.0'], failing })
    await t.rejects(look(), { code: 1 })
    t.strictSame(issues, [])
  })
}
