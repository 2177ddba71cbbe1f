import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { documentStorage } from 'fastify-onlyoffice/storage'
import { storageConformance } from 'fastify-onlyoffice/conformance'
import { sqliteDriver } from './sqlite-driver.js'

storageConformance({
  test,
  async create () {
    const directory = await mkdtemp(join(tmpdir(), 'documents-'))
    const reopen = () => documentStorage(sqliteDriver(join(directory, 'documents.db')))
    return { storage: reopen(), reopen, cleanup: async () => await rm(directory, { recursive: true }) }
  }
})
