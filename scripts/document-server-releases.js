// Opens an issue for each release of a document server whose major and minor version has no row in
// docs/document-server.md, unless it is older than all rows, and for each change of the changelog in its documentation.
// .github/workflows/document-server-releases.yml runs it once a week. If anything cannot be read, it opens nothing.
import { readFile } from 'node:fs/promises'

/** Repositories, by the beginning of their rows. */
const SERVERS = { '': 'ONLYOFFICE/DocumentServer', 'Euro-Office ': 'Euro-Office/DocumentServer' }
const ROW = /^\| (Euro-Office )?(\d+\.\d+) \|/gm
/** Such as v10.0.1, v9.3.4-hotfix.1, and ONLYOFFICE-DocumentServer-4.2.0 long ago. */
const TAG = /^(?:ONLYOFFICE-DocumentServer-)?v?((\d+\.\d+)[\w.-]*)$/
const DOCUMENTATION = 'ONLYOFFICE/api.onlyoffice.com'
const CHANGELOG = 'site/docs/docs-api/more-information/changelog.md'
/** What was changed before has been read. */
const READ_UNTIL = '2026-11-08T00:00:00Z'

const { GITHUB_API_URL: api, GITHUB_TOKEN: token, GITHUB_REPOSITORY: own } = process.env
const rows = [...(await readFile(new URL('../docs/document-server.md', import.meta.url), 'utf8')).matchAll(ROW)]

const found = []
for (const [name, repository] of Object.entries(SERVERS)) {
  const known = rows.filter(([, prefix = '']) => prefix === name).map(([, , version = '']) => version)
  const releases = await get(`${repository}/releases?per_page=100`)
  if (known.length === 0 || releases.length === 0) throw new Error(`nothing is known of ${repository}`)
  for (const { tag_name: tag, draft, prerelease } of releases) {
    if (draft || prerelease) continue
    const [, version, minor] = TAG.exec(tag) ?? []
    if (minor === undefined) throw new Error(`${repository} has a release whose tag is not a version: ${tag}`)
    if (known.includes(minor) || known.every(row => order(row) > order(minor))) continue
    const url = `https://github.com/${repository}/releases/tag/${tag}`
    found.push({ title: `Document server: ${name}${version}`, url })
  }
}
const changes = await get(`${DOCUMENTATION}/commits?path=${encodeURIComponent(CHANGELOG)}&per_page=100`)
if (changes.length === 0) throw new Error(`${DOCUMENTATION} has no ${CHANGELOG}`)
for (const { sha, commit: { committer: { date } } } of changes) {
  if (date < READ_UNTIL) continue
  const title = `Documentation of the document server: changed on ${date.slice(0, 10)}`
  found.push({ title, url: `https://github.com/${DOCUMENTATION}/commit/${sha}` })
}

// An issue stays the only one of what its first line links to, also when it is closed.
const links = new Set()
for (let page = 1, issues; issues === undefined || issues.length > 0; page++) {
  issues = await get(`${own}/issues?state=all&per_page=100&page=${page}`)
  for (const { body } of issues) links.add(String(body).split(/\r?\n/, 1)[0])
}
for (const { title, url } of found) {
  if (links.has(url)) continue
  const body = `${url}\n\nWhat to do is in CONTRIBUTING.md, "A new version of the document server".`
  await request(`${own}/issues`, { method: 'POST', body: JSON.stringify({ title, body }) })
  console.log(`Opened: ${title}`)
}

/**
 * @param {string} path
 * @returns {Promise<any[]>}
 */
async function get (path) {
  const list = await (await request(path)).json()
  if (!Array.isArray(list)) throw new Error(`${path} is answered with no list`)
  return list
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function request (path, options) {
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` }
  const response = await fetch(`${api}/repos/${path}`, { ...options, headers, signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`${path} is answered with status ${response.status}`)
  return response
}

/** @param {string} version */
function order (version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major * 10_000 + minor
}
