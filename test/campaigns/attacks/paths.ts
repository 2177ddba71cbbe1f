import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { AlwaysStopped, TargetOptions } from './attack.js'
import { EVIL, startTarget, type Target } from './target.js'

const CONTENT = 'a file beside the documents'
const BECAUSE = 'a fileId is a single plain file name or names no document'

/**
 * Documents in files, a file beside their directory, and one in it. No other rule is to keep a file from being
 * replaced.
 */
async function startBeside (t: Test, options: TargetOptions) {
  const target = await startTarget(t, { ...options, memory: false, policies: { conflict: 'overwrite' } })
  const root = t.testdirName
  await writeFile(join(root, 'outside.docx'), CONTENT)
  await writeFile(join(root, 'uploads', 'inside.docx'), CONTENT)
  return { ...target, root, ids: idsOf(join(root, 'outside')) }
}

/** Ways to write the file outside. */
function idsOf (path: string): string[] {
  const ways = [
    '../outside',
    './../outside',
    'x/../../outside',
    '..\\outside',
    '..//outside',
    '....//outside',
    '../uploads/../outside',
    '..\u2215outside',
    '%2e%2e%2foutside',
    '..%2foutside',
    '..%5coutside',
    path,
    `file://${path}`
  ]
  return ways.flatMap(id => [id, `${id}.docx`, `${id}\0`])
}

async function isRead ({ urls }: Target, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    const signed = urls.download(id) // as a host would hand it out that does not look at ids
    for (const url of [signed, signed.replace(encodeURIComponent(id), id.replace(/[#&\0]/g, encodeURIComponent))]) {
      const response = await fetch(url)
      if ((await response.text()).includes(CONTENT)) return true
    }
  }
  return false
}

async function isWritten ({ saveFrom, evilUrl }: Target, ids: readonly string[], file: string): Promise<boolean> {
  for (const id of ids) await saveFrom(evilUrl, {}, id)
  return await readFile(file, 'utf8') === EVIL
}

export const paths: readonly AlwaysStopped[] = [
  {
    title: 'reads a file outside the document directory (path traversal)',
    has: 'an application that creates links for any fileId they send',
    because: BECAUSE,
    async run (t, options) {
      const target = await startBeside(t, options)
      return isRead(target, target.ids)
    },
    async control (t, options) {
      const target = await startBeside(t, options)
      return isRead(target, ['inside'])
    }
  },
  {
    title: 'writes a file outside the document directory',
    has: 'authentic callbacks with any fileId',
    because: BECAUSE,
    async run (t, options) {
      const target = await startBeside(t, options)
      return isWritten(target, target.ids, join(target.root, 'outside.docx'))
    },
    async control (t, options) {
      const target = await startBeside(t, options)
      return isWritten(target, ['inside'], join(target.root, 'uploads', 'inside.docx'))
    }
  },
  {
    title: 'reads the service\'s session records',
    has: 'an application that creates links for any fileId they send',
    because: BECAUSE,
    async run (t, options) {
      const target = await startBeside(t, options)
      const records = await startedRecords(target)
      return canRead(target, records.flatMap(name => [name, name.replace(/\.\w+$/, '')]))
    },
    async control (t, options) {
      const target = await startBeside(t, options)
      await startedRecords(target)
      return canRead(target, ['inside'])
    }
  }
]

/** Paths below the directory of documents of what the service notes when a session has begun. */
async function startedRecords ({ post, key, root }: Target & { readonly root: string }): Promise<string[]> {
  await post({ key, status: 1 })
  const names = await readdir(join(root, 'uploads'), { recursive: true })
  const records = names.filter(name => name.startsWith('.'))
  if (records.length < 2) throw new Error('nothing was noted')
  return records
}

async function canRead ({ urls }: Target, ids: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(ids.map(id => fetch(urls.download(id))))
  await Promise.all(answers.map(answer => answer.arrayBuffer()))
  return answers.some(answer => answer.ok)
}
