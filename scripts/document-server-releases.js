// Opens an issue for each new release of a document server, and for each change of the changelog in its documentation:
// node scripts/document-server-releases.js. Once a week .github/workflows/document-server-releases.yml does. New is a
// release whose major and minor version has no row in docs/document-server.md, unless it is older than all rows. If
// anything cannot be read, it fails and opens nothing.
import { readFile } from 'node:fs/promises'

/** Their repositories, by the beginning of their rows. */
const SERVERS = { '': 'ONLYOFFICE/DocumentServer', 'Euro-Office ': 'Euro-Office/DocumentServer' }
const ROW = /^\| (Euro-Office )?(\d+\.\d+) \|/gm
/** Such as v10.0.1, v9.3.4-hotfix.1, and ONLYOFFICE-DocumentServer-4.2.0 long ago. */
const TAG = /^(?:ONLYOFFICE-DocumentServer-)?v?((\d+\.\d+)(?:\.\d+)*(?:-[\w.-]+)?)$/
const DOCUMENTATION = {
  repository: 'ONLYOFFICE/api.onlyoffice.com',
  changelog: 'site/docs/docs-api/more-information/changelog.md',
  /** What was changed before has been read. */
  readUntil: '2026-11-08T00:00:00Z'
}
const TIMEOUT_MS = 30_000

const api = setting('GITHUB_API_URL')
const token = setting('GITHUB_TOKEN')
const issues = `${api}/repos/${setting('GITHUB_REPOSITORY')}/issues`

const page = await readFile(new URL('../docs/document-server.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(ROW)].map(([, name = '', version = '']) => ({ name, version }))

const unknown = []
for (const [name, repository] of Object.entries(SERVERS)) {
  const known = rows.filter(row => row.name === name).map(({ version }) => version)
  if (known.length === 0) throw new Error(`docs/document-server.md has no version of ${repository}`)
  const releases = (await list(`${api}/repos/${repository}/releases?per_page=100`)).filter(({ draft, prerelease }) =>
    !draft && !prerelease
  )
  if (releases.length === 0) throw new Error(`${repository} has no releases`)
  // A list that grows while its pages are read has a release twice.
  for (const tag of new Set(releases.map(({ tag_name: tag }) => String(tag)))) {
    const [, version, minor] = TAG.exec(tag) ?? []
    if (version === undefined || minor === undefined) {
      throw new Error(`${repository} has a release whose tag is not a version: ${JSON.stringify(tag)}`)
    }
    if (!known.includes(minor) && known.some(row => order(row) < order(minor))) {
      unknown.push({
        mark: `release: ${repository} ${tag}`,
        url: `https://github.com/${repository}/releases/tag/${tag}`,
        title: `Document server: ${name}${version}`
      })
    }
  }
}

const { repository, changelog, readUntil } = DOCUMENTATION
const changes = await list(`${api}/repos/${repository}/commits?path=${encodeURIComponent(changelog)}&per_page=100`)
await request(`${api}/repos/${repository}/contents/${changelog}`, { status: 200 }) // not moved
if (changes.length === 0) throw new Error(`${repository} has no ${changelog}`)
for (const { sha, commit } of changes) {
  const date = String(/** @type {any} */ (commit)?.committer?.date)
  if (Number.isNaN(Date.parse(date))) throw new Error(`${repository} has a commit without a date: ${sha}`)
  if (Date.parse(date) < Date.parse(readUntil)) continue
  unknown.push({
    mark: `documentation: ${sha}`,
    url: `https://github.com/${repository}/commit/${sha}`,
    title: `Documentation of the document server: changed on ${date.slice(0, 10)}`
  })
}

const bodies = (await list(`${issues}?state=all&per_page=100`)).map(({ body }) => String(body))
for (const { mark, url, title } of unknown) {
  const comment = `<!-- ${mark} -->`
  if (bodies.some(body => body.includes(comment))) continue
  const body = `${url}

What to do is in CONTRIBUTING.md, "A new version of the document server". This issue stays the only one about it, also when it is closed.

${comment}`
  await request(issues, { status: 201, method: 'POST', body: JSON.stringify({ title, body }) })
  console.log(`Opened: ${title}`)
}
console.log(`${unknown.length} releases of unknown versions, and changes of the documentation`)

/**
 * All pages of a list.
 * @param {string} first
 * @returns {Promise<Record<string, unknown>[]>}
 */
async function list (first) {
  const items = []
  for (let url = /** @type {string | undefined} */ (first); url !== undefined;) {
    const response = await request(url, { status: 200 })
    const page = await response.json()
    if (!Array.isArray(page)) throw new Error(`${url} answers no list`)
    items.push(...page)
    url = /<([^<>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    if (url !== undefined && new URL(url).origin !== new URL(api).origin) {
      throw new Error(`${first} goes on at another origin: ${url}`)
    }
  }
  return items
}

/**
 * @param {string} url
 * @param {RequestInit & { status: number }} options
 */
async function request (url, { status, ...options }) {
  const response = await fetch(url, {
    ...options,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28'
    },
    signal: AbortSignal.timeout(TIMEOUT_MS)
  })
  if (response.status !== status) throw new Error(`${url} answers status ${response.status}`)
  return response
}

/** @param {string} version */
function order (version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 10_000 + minor
}

/** @param {string} name */
function setting (name) {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}
