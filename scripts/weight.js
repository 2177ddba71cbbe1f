// What `npm install fastify-onlyoffice` adds to an application that has Fastify: packages, and their size in
// node_modules. Reads package-lock.json and node_modules, no network. Exits with 1 if it is more than LIMITS.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A new dependency has to be worth it: raise these with the reason in the commit. */
const LIMITS = { packages: 34, megabytes: 10.1 }
/** Of the package itself, unpacked. What is in it: test/package/contents.long.test.ts. */
const OWN_LIMITS = { megabytes: 1.9 }

/**
 * @typedef {object} Locked
 * @property {string} [version]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 */
/** @type {Record<string, Locked>} */
const packages = JSON.parse(await readFile('package-lock.json', 'utf8')).packages

const ofFastify = tree(['fastify'])
const added = [...tree(Object.keys(packages['']?.dependencies ?? {}))].filter(path => !ofFastify.has(path))
const sizes = await Promise.all(added.map(async path => ({ path, bytes: await sizeOf(path) })))
const megabytes = megabytesOf(sizes.reduce((sum, { bytes }) => sum + bytes, 0))
const own = megabytesOf(
  (await Promise.all((await packed()).map(async file => (await stat(file)).size))).reduce(
    (sum, bytes) => sum + bytes,
    0
  )
)

for (const { path, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
  console.log(`${String(Math.round(bytes / 1000)).padStart(6)} kB  ${path.replace(/^.*node_modules\//, '')} ${packages[path]?.version}`)
}
console.log(`Beside Fastify's own: ${added.length} packages, ${megabytes} MB; the built modules: ${own} MB`)

const faults = [
  ...(added.length <= LIMITS.packages ? [] : [`${added.length} packages are more than ${LIMITS.packages}`]),
  ...(megabytes <= LIMITS.megabytes ? [] : [`${megabytes} MB are more than ${LIMITS.megabytes} MB`]),
  ...(own <= OWN_LIMITS.megabytes ? [] : [`${own} MB of our own are more than ${OWN_LIMITS.megabytes} MB`])
]
if (faults.length > 0) {
  console.log(
    `Too heavy: ${faults.join('; ')}. Is everything above needed? If so, raise the limits in scripts/weight.js.`
  )
}
process.exitCode = faults.length > 0 ? 1 : 0

/**
 * The paths of packages and of all that they depend on.
 * @param {string[]} names
 */
function tree (names) {
  const paths = /** @type {Set<string>} */ (new Set())
  /**
   * @param {string} name
   * @param {string} from
   */
  function add (name, from) {
    const path = resolve(name, from)
    if (path === undefined) throw new Error(`package-lock.json has no ${name}, which ${from || 'this package'} needs`)
    if (paths.has(path)) return
    paths.add(path)
    for (const dependency of Object.keys(packages[path]?.dependencies ?? {})) add(dependency, path)
  }
  for (const name of names) add(name, '')
  return paths
}

/**
 * As Node.js finds it: in the nearest node_modules.
 * @param {string} name
 * @param {string} from
 * @returns {string | undefined}
 */
function resolve (name, from) {
  const path = `${from && `${from}/`}node_modules/${name}`
  if (path in packages) return path
  return from === '' ? undefined : resolve(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/**
 * Without the packages in its own node_modules.
 * @param {string} path
 * @returns {Promise<number>}
 */
async function sizeOf (path) {
  const entries = await readdir(path, { withFileTypes: true })
  const sizes = await Promise.all(entries.filter(({ name }) => name !== 'node_modules').map(async entry => {
    const inner = join(path, entry.name)
    return entry.isDirectory() ? await sizeOf(inner) : (await stat(inner)).size
  }))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Of dist, which is most of what is packed. */
async function packed () {
  const names = await readdir('dist', { recursive: true, withFileTypes: true })
  return names.filter(entry => entry.isFile() && /\.(?:d\.ts|js)$/.test(entry.name) && !entry.name.includes('.schema.'))
    .map(entry => join(entry.parentPath, entry.name))
}

/** @param {number} bytes */
function megabytesOf (bytes) {
  return Math.round(bytes / 1e5) / 10
}
