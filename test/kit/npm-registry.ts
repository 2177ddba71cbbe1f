// An npm registry on this machine: our packages as they are packed, and the others as they are installed here.
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import { listen } from './http.js'
import { installPacked, root, run } from './programs.js'

interface Manifest {
  readonly name: string
  readonly version: string
}

/** Resolves to the URL for npm's setting `registry`. */
export async function startNpmRegistry (t: Test): Promise<string> {
  const { directory } = await installPacked(t, 'fastify-onlyoffice', 'onlyoffice-emulator')
  // A package comes from the first folder that has this version: ours, as they are packed, before the workspace.
  const packages = new Map<string, { readonly manifest: Manifest, readonly folder: string }>()
  for (const folder of [...packageFolders(join(directory, 'node_modules')), ...packageFolders(join(root, 'node_modules'))]) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const id = `${manifest.name}@${manifest.version}`
    if (!packages.has(id)) packages.set(id, { manifest, folder })
  }

  const server = http.createServer(async (request, response) => {
    const path = decodeURIComponent(request.url!.slice(1))
    const file = packages.get(path.replace(/\.tgz$/, ''))
    if (file) {
      const { stdout } = await run('tar', ['-cz', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', realpathSync(file.folder), '.'], { encoding: 'buffer', maxBuffer: 2 ** 28 })
      return response.end(stdout)
    }
    const found = [...packages.values()].map(({ manifest }) => manifest).filter(({ name }) => name === path)
    if (found.length === 0) return response.writeHead(404).end('{}')
    const versions = Object.fromEntries(found.map(manifest => [manifest.version, {
      ...manifest,
      dist: { tarball: `${origin}/${encodeURIComponent(`${manifest.name}@${manifest.version}`)}.tgz` }
    }]))
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ name: path, 'dist-tags': { latest: found[0]!.version }, versions }))
  })
  const { origin } = await listen(t, server)
  return origin
}

/** Of all installed packages, also those that only another one has. */
function packageFolders (modules: string): string[] {
  let names: string[]
  try {
    names = readdirSync(modules).filter(name => !name.startsWith('.'))
  } catch {
    return []
  }
  return names.flatMap(name => {
    const path = join(modules, name)
    if (name.startsWith('@')) return packageFolders(path)
    return [path, ...packageFolders(join(path, 'node_modules'))]
  })
}
