import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { type BrokenStorages, findOutAmong } from './broken.js'

const rejected = 'revoke: a replace whose ticket is revoked during beforePublish rejects and publishes nothing'
const harmless = 'revoke: revoking the ticket of published content, even repeatedly, changes nothing'
const precise = 'revoke: a ticket does not affect later replaces'
const lenient = 'revoke: an unknown or malformed ticket is not an error and changes nothing'

/** Of all instances of a storage. */
const tickets: string[] = []

const broken: BrokenStorages<ReturnType<typeof fileStorage>> = {
  'publishes revoked content': [rejected, () => ({ revoke: async () => {} })],
  'reports revoked content as a missing file': [rejected, sound => ({
    replace: async (fileId, content, options) => await sound.replace(fileId, content, options).catch(error => {
      if (options?.beforePublish) return null
      throw error
    })
  })],
  'announces without a ticket': [rejected, sound => ({
    replace: (fileId, content, { beforePublish, ...options } = {}) => sound.replace(fileId, content, {
      ...options,
      ...(beforePublish && { beforePublish: async info => await beforePublish(info) })
    })
  })],
  'revokes published content': [harmless, sound => ({
    async revoke (fileId, ticket) {
      await sound.revoke(fileId, ticket)
      await sound.remove(fileId)
    }
  })],
  'has one ticket for all of a file': [precise, sound => ({
    replace: (fileId, content, { beforePublish, ...options } = {}) => sound.replace(fileId, content, {
      ...options,
      ...(beforePublish && {
        async beforePublish (info, ticket) {
          tickets.push(ticket!)
          await beforePublish(info, 'the ticket')
        }
      })
    }),
    revoke: async fileId => { for (const ticket of tickets.splice(0)) await sound.revoke(fileId, ticket) }
  })],
  'fails at a ticket it can\'t read': [lenient, sound => ({
    async revoke (fileId, ticket) {
      JSON.parse(ticket)
      await sound.revoke(fileId, ticket)
    }
  })],
  'takes a ticket for an id': [lenient, sound => ({
    revoke: async (fileId, ticket) => { await sound.remove(ticket.replace(/\..*/, '')) }
  })]
}

const root = t.testdir()
let directories = 0
findOutAmong(t, () => fileStorage({ directory: join(root, String(++directories)) }), broken)
