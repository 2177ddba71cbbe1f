import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { knownVersions } from '../../lib/doctor/check-version.js'
import { startUpstream } from '../kit/http.js'
import { plainEnvironment, root, run } from '../kit/programs.js'

// scripts/document-server-releases.js against a server that answers as GitHub does.

interface Release { readonly tag_name: unknown, readonly draft?: boolean, readonly prerelease?: boolean }
interface Issue { readonly title: string, readonly body: string | null, readonly state: string }
interface Answer { readonly status?: number, readonly text?: string, readonly link?: string }

const ONLYOFFICE = 'ONLYOFFICE/DocumentServer'
const EURO_OFFICE = 'Euro-Office/DocumentServer'
const DOCUMENTATION = 'ONLYOFFICE/api.onlyoffice.com'
const CHANGELOG = `GET /repos/${DOCUMENTATION}/commits`
const MOVED = `GET /repos/${DOCUMENTATION}/contents/site/docs/docs-api/more-information/changelog.md`
const OURS = '/repos/somebody/ours/issues'
/** With what is older than all known versions, and patches of known ones. */
const KNOWN = {
  [ONLYOFFICE]: [
    'v10.0.2',
    ...knownVersions.filter(({ name, version }) => name === version).map(({ version }) => `v${version}.0`).reverse(),
    'v8.3.2',
    'ONLYOFFICE-DocumentServer-4.2.0'
  ],
  [EURO_OFFICE]: ['v9.3.4-hotfix.1', 'v9.3.2']
}

/** GitHub with these releases beside those of known versions. `answers` replaces what it answers to a path. */
async function startGitHub (t: Test, { added = {}, changed = [], pageSize = 100, answers = {} }: {
  readonly added?: Readonly<Record<string, readonly Release[]>>
  /** Times of commits that changed the documentation's changelog. */
  readonly changed?: readonly string[]
  readonly pageSize?: number
  readonly answers?: Readonly<Record<string, Answer>>
} = {}) {
  const issues: Issue[] = []
  const commits = [...changed, '2026-11-07T12:00:00Z', '2026-10-15T12:00:00Z'].map(date => ({ sha: `sha-of-${date}`, commit: { committer: { date } } }))
  const releases: Record<string, readonly object[]> = Object.fromEntries(Object.entries(KNOWN).map(([repository, tags]) => [
    `/repos/${repository}/releases`,
    [...added[repository] ?? [], ...tags.map(tag => ({ tag_name: tag, draft: false, prerelease: false }))] as readonly Release[]
  ]))
  releases[`/repos/${DOCUMENTATION}/commits`] = commits
  releases[MOVED.slice(4)] = []

  const api = await startUpstream(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, api.origin)
    const { status = 200, text: body, link } = answers[`${request.method} ${pathname}`] ??
      answers[`${request.method} ${pathname}${searchParams.has('page') ? ' page 2' : ''}`] ?? {}
    if (request.headers.authorization !== 'Bearer a-token') response.writeHead(401).end('{}')
    else if (body !== undefined || status !== 200) response.writeHead(status, { ...link && { link } }).end(body ?? '{"message":"no"}')
    else if (request.method === 'POST' && pathname === OURS) open(request).then(() => response.writeHead(201).end('{}'), () => response.destroy())
    else {
      const all = pathname === OURS ? issues.filter(({ state }) => state === 'open' || searchParams.get('state') === 'all') : releases[pathname]!
      const page = Number(searchParams.get('page') ?? 1)
      const next = page * pageSize < all.length && `<${api.origin}${pathname}?state=all&page=${page + 1}>; rel="next"`
      response.writeHead(200, { ...next && { link: `<${api.origin}/first>; rel="first", ${next}` } }).end(
        JSON.stringify(all.slice((page - 1) * pageSize, page * pageSize))
      )
    }
  })

  async function open (request: IncomingMessage): Promise<void> {
    issues.unshift({ ...JSON.parse(await text(request)), state: 'open' })
  }

  async function look (env: NodeJS.ProcessEnv = {}): Promise<{ readonly code: number, readonly output: string }> {
    return await run(process.execPath, ['scripts/document-server-releases.js'], {
      cwd: root,
      env: { ...plainEnvironment, GITHUB_API_URL: api.origin, GITHUB_TOKEN: 'a-token', GITHUB_REPOSITORY: 'somebody/ours', ...env }
    }).then(({ stdout }) => ({ code: 0, output: stdout }), ({ code, stderr }) => ({ code, output: String(stderr) }))
  }

  return { api, issues, look }
}

const titles = (issues: readonly Issue[]) => issues.map(({ title }) => title).sort()
const newReleases = (...tags: string[]) => tags.map(tag => ({ tag_name: tag, draft: false, prerelease: false }))

t.test('known versions, their patches, and versions before them are not new', async t => {
  const { issues, look } = await startGitHub(t)
  t.match(await look(), { code: 0, output: '0 releases' })
  t.strictSame(issues, [])
})

t.test('each new release gets one issue, which is never opened again, also when it is closed and its title changed', async t => {
  const { issues, look } = await startGitHub(t, {
    added: { [ONLYOFFICE]: newReleases('v10.1.1', 'v10.1.0', 'v9.5.0'), [EURO_OFFICE]: newReleases('v9.4.0-hotfix.1', 'v9.4.0') }
  })
  t.match(await look(), { code: 0, output: 'Opened: Document server: 10.1.0' })
  const opened = ['10.1.0', '10.1.1', '9.5.0', 'Euro-Office 9.4.0', 'Euro-Office 9.4.0-hotfix.1'].map(name => `Document server: ${name}`)
  t.strictSame(titles(issues), opened)
  t.match(issues.find(({ title }) => title.endsWith(' 10.1.0'))?.body, 'https://github.com/ONLYOFFICE/DocumentServer/releases/tag/v10.1.0\n')

  t.equal((await look()).code, 0)
  t.strictSame(titles(issues), opened, 'they are open')
  issues.splice(0, issues.length, ...issues.map(issue => ({ ...issue, title: 'done', state: 'closed' })))
  t.equal((await look()).code, 0)
  t.equal(issues.length, opened.length, 'they are closed')
  issues.splice(issues.findIndex(({ body }) => body?.includes('hotfix')), 1)
  t.equal((await look()).code, 0)
  t.match(issues[0], { title: 'Document server: Euro-Office 9.4.0-hotfix.1' }, 'the issue of the release does not count for its hotfix')
  t.equal(issues.length, opened.length)
})

t.test('each change of the documentation\'s changelog gets one issue', async t => {
  const { api, issues, look } = await startGitHub(t, { changed: ['2026-11-29T08:00:00Z', '2026-11-09T08:00:00Z'] })
  t.match(await look(), { code: 0, output: 'Opened: Documentation of the document server: changed on 2026-11-29' })
  t.strictSame(titles(issues), ['2026-11-09', '2026-11-29'].map(day => `Documentation of the document server: changed on ${day}`))
  t.match(issues[0]?.body, `https://github.com/${DOCUMENTATION}/commit/sha-of-2026-11-`)
  t.equal((await look()).code, 0)
  t.equal(issues.length, 2, 'never again')
  t.ok(api.requests.some(url => url.includes('path=site%2Fdocs%2Fdocs-api%2Fmore-information%2Fchangelog.md')))
})

t.test('drafts and prereleases are no releases', async t => {
  const { issues, look } = await startGitHub(t, { added: { [ONLYOFFICE]: [{ tag_name: 'v11.0.0', draft: true }, { tag_name: 'nightly', prerelease: true }] } })
  t.equal((await look()).code, 0)
  t.strictSame(issues, [])
})

t.test('all pages are read, of releases and of issues; what two pages have counts once', async t => {
  const { issues, look, api } = await startGitHub(t, { pageSize: 2, added: { [ONLYOFFICE]: newReleases('v10.0.9', 'v10.1.0', 'v10.1.0', 'v10.2.0') } })
  await look()
  t.strictSame(titles(issues), ['Document server: 10.1.0', 'Document server: 10.2.0'])
  for (let n = 0; n < 3; n++) issues.unshift({ title: 'Another', body: null, state: 'open' })
  const before = api.requests.length
  t.equal((await look()).code, 0)
  t.equal(issues.length, 5)
  t.equal(api.requests.slice(before).filter(url => url.startsWith(OURS)).length, 3, 'three pages')
})

const RELEASES = `GET /repos/${ONLYOFFICE}/releases`
const FORK = `GET /repos/${EURO_OFFICE}/releases`

const unreadable: Readonly<Record<string, readonly [answers: Readonly<Record<string, Answer>>, output: string]>> = {
  'status 500': [{ [RELEASES]: { status: 500 } }, 'status 500'],
  'a rate limit': [{ [RELEASES]: { status: 403 } }, 'status 403'],
  'the second server is unknown': [{ [FORK]: { status: 404 } }, 'status 404'],
  'a page of HTML': [{ [FORK]: { text: '<!doctype html>' } }, 'not valid JSON'],
  'no list': [{ [FORK]: { text: '{"message":"Moved"}' } }, 'answers no list'],
  'an empty list': [{ [FORK]: { text: '[]' } }, 'has no releases'],
  'only drafts': [{ [FORK]: { text: '[{"tag_name":"v9.3.0","draft":true}]' } }, 'has no releases'],
  'a tag that is no version': [{ [FORK]: { text: '[{"tag_name":"spring-edition"}]' } }, 'not a version: "spring-edition"'],
  'no tag': [{ [FORK]: { text: '[{}]' } }, 'not a version'],
  'the second page fails': [{ [`${RELEASES} page 2`]: { status: 502 } }, 'status 502'],
  'the next page is elsewhere': [{ [FORK]: { text: '[{"tag_name":"v9.3.0"}]', link: '<https://example.com/more>; rel="next"' } }, 'another origin'],
  'the documentation is elsewhere': [{ [CHANGELOG]: { status: 404 } }, 'status 404'],
  'the changelog has no history': [{ [CHANGELOG]: { text: '[]' } }, 'has no site/docs/'],
  'the changelog is elsewhere': [{ [MOVED]: { status: 404 } }, 'status 404'],
  'a change without a date': [{ [CHANGELOG]: { text: '[{"sha":"x"}]' } }, 'without a date'],
  'the issues cannot be read': [{ [`GET ${OURS}`]: { status: 503 } }, 'status 503'],
  'issues are switched off': [{ [`POST ${OURS}`]: { status: 410 } }, 'status 410']
}

for (const [name, [answers, output]] of Object.entries(unreadable)) {
  t.test(`nothing is opened, and the run fails: ${name}`, async t => {
    const { issues, look } = await startGitHub(t, { answers, pageSize: 3, added: { [ONLYOFFICE]: newReleases('v10.1.0') } })
    t.match(await look(), { code: 1, output })
    t.strictSame(issues, [])
  })
}

t.test('nothing is opened, and the run fails: a connection that ends, and a setting that is missing', async t => {
  const { issues, look } = await startGitHub(t, { added: { [ONLYOFFICE]: newReleases('v10.1.0') } })
  const { origin } = await startUpstream(t, request => request.socket.destroy())
  t.match(await look({ GITHUB_API_URL: origin }), { code: 1, output: 'fetch failed' })
  for (const name of ['GITHUB_API_URL', 'GITHUB_TOKEN', 'GITHUB_REPOSITORY']) t.match(await look({ [name]: '' }), { code: 1, output: `${name} is not set` })
  t.strictSame(issues, [])
})
