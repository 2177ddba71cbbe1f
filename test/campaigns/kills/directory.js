// What is on the disk, read without the library: after a kill, before the restart, nobody else can tell.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { versionOf } from './documents.js'

export const STATE = '.fastify-onlyoffice-state'
const VERSIONS = '.fastify-onlyoffice-versions'

/**
 * Names of the documents.
 * @param {string} directory
 */
export async function documentNames (directory) {
  return (await readdir(directory)).filter(name => !name.startsWith('.'))
}

/**
 * Everything that is neither a document, nor a generation of a record, nor a version.
 * @param {string} directory
 */
export async function tempNames (directory) {
  const names = await readdir(directory)
  const inFolders = await Promise.all([STATE, VERSIONS].map(async folder => {
    const found = await readdir(join(directory, folder), { recursive: true }).catch(() => [])
    return found.filter(name => name.includes('~')).map(name => `${folder}/${name}`)
  }))
  return [...names.filter(name => name.startsWith('.') && name !== STATE && name !== VERSIONS), ...inFolders.flat()]
}

/**
 * @param {string} directory
 * @param {string} name
 * @returns {Promise<number | undefined>} undefined when it is not one whole version
 */
export async function storedVersion (directory, name) {
  const fileId = name.slice(0, name.lastIndexOf('.'))
  return versionOf(await readFile(join(directory, name)), fileId)
}

/**
 * Versions of a document that were stored in documents of their own.
 * @param {string} directory
 * @param {string} fileId
 */
export async function versionsBeside (directory, fileId) {
  const names = (await documentNames(directory)).filter(name => !name.startsWith(`${fileId}.`))
  const versions = await Promise.all(names.map(async name => versionOf(await readFile(join(directory, name)), fileId)))
  return versions.filter(version => version !== undefined)
}

/**
 * The record of a document as far as the phase of a save can be told from it.
 * @param {string} directory
 * @param {string} fileId
 * @returns {Promise<{ saves: { path?: string }[], lock?: { publishing?: { save: { path?: string } } } }>}
 */
export async function recordOf (directory, fileId) {
  const name = createHash('sha256').update(fileId).digest('hex').slice(0, 40)
  const folder = join(directory, STATE, name.slice(0, 2), name)
  const versions = (await readdir(folder)).map(Number).filter(Number.isInteger)
  return JSON.parse(await readFile(join(folder, String(Math.max(...versions))), 'utf8')).value
}
