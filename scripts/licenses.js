import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The licenses of packages, by their files. @param {Iterable<string>} paths @returns {Promise<string>} */
export async function licensesOf (paths) {
  const folders = new Set([...paths].flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  const licenses = await Promise.all([...folders].sort().map(async folder => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const file = (await readdir(folder)).find(file => /^licen[cs]e/i.test(file))
    return `${name} ${version}, ${license}\n\n${file === undefined ? '' : await readFile(join(folder, file), 'utf8')}`
  }))
  return licenses.join('\n\n')
}
