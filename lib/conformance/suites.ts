import type { EditorHttpClient } from '../../types/http.js'
import type { EditorStorage } from '../../types/storage.js'
import { InvalidOptionError } from '../errors.js'
import { type DocumentStore, isDocumentStore, NO_STORAGE } from '../store/contract.js'
import { isFunction, isObject, objectWith, type Rule, rule } from '../util/validate.js'
import { bodyCases } from './http-client-bodies.js'
import { requestCases } from './http-client-requests.js'
import { startServers } from './http-client-scene.js'
import { changeCases } from './storage-changes.js'
import { contentCases } from './storage-contents.js'
import type { StorageSubject } from './storage-scene.js'

/** Arguments of a conformance suite. */
export interface ConformanceOptions<Subject> {
  /** Returns a new and empty subject. Called once for each test. */
  readonly create: () => Subject | Promise<Subject>
  /** Registers a test with the test runner: `t.test` of tap, `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

export interface HttpClientSubject {
  /** The client under test. It is closed after the test, if it has a `close`. */
  readonly client: EditorHttpClient
  /** Called after the test, whether it passed or failed, when `client` has been closed. */
  readonly cleanup?: () => unknown
}

export type StorageConformanceOptions = ConformanceOptions<StorageSubject>
export type HttpClientConformanceOptions = ConformanceOptions<HttpClientSubject>

/**
 * Tests whether a driver keeps documents as `documentStorage` needs it: nothing lost, mixed or made twice. Registers
 * one test for each requirement, all of them before it returns. A test fails with an `AssertionError` that says what
 * was expected, or with the error that the storage rejected with.
 *
 * Resolves when all that `test` has returned is resolved, and rejects when any of it rejects.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `create` or `test` is no function. If `create` returns
 * something other than an object with the storage, each test fails with this error.
 * @example
 * ```js
 * import test from 'node:test'
 * import { documentStorage } from 'fastify-onlyoffice/storage'
 * import { storageConformance } from 'fastify-onlyoffice/conformance'
 * import { myDriver } from './my-driver.js'
 *
 * storageConformance({
 *   test,
 *   async create () {
 *     const table = await createTestTable()
 *     const reopen = () => documentStorage(myDriver(table))
 *     return { storage: reopen(), reopen, cleanup: () => table.drop() }
 *   }
 * })
 * ```
 */
export async function storageConformance (options: StorageConformanceOptions): Promise<void> {
  await runSuite({
    suite: 'storageConformance',
    name: 'storage',
    rule: rule(NO_STORAGE, isDocumentStore),
    cases: { ...contentCases, ...changeCases },
    async runCase (run, { storage, reopen, list }) {
      let second: EditorStorage | undefined
      try {
        await storage.ready()
        second = reopen?.()
        await run({ storage: storage as DocumentStore, other: (second ?? storage) as DocumentStore, list })
      } finally {
        await second?.close?.()
        await storage.close?.()
      }
    }
  }, options)
}

/**
 * Tests whether an HTTP client fulfils the `EditorHttpClient` contract, against servers that it starts on 127.0.0.1.
 * Registers one test for each requirement, all of them before it returns. A test fails with an `AssertionError` that
 * says what was expected, or with the error that the client rejected with.
 *
 * Resolves when all that `test` has returned is resolved, and rejects when any of it rejects.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `create` or `test` is no function. If `create` returns
 * something other than an object with the client, each test fails with this error.
 * @example
 * ```js
 * import test from 'node:test'
 * import { httpClientConformance } from 'fastify-onlyoffice/conformance'
 * import { myHttpClient } from './my-http-client.js'
 *
 * httpClientConformance({ test, create: () => ({ client: myHttpClient() }) })
 * ```
 */
export async function httpClientConformance (options: HttpClientConformanceOptions): Promise<void> {
  await runSuite({
    suite: 'httpClientConformance',
    name: 'client',
    rule: objectWith('request'),
    cases: { ...requestCases, ...bodyCases },
    async runCase (run, { client }) {
      const servers = startServers()
      try {
        await run({ client, ...servers })
      } finally {
        await client.close?.()
        await servers.close()
      }
    }
  }, options)
}

interface Suite<Subject, Scene> {
  /** The function that was called. */
  readonly suite: string
  /** The member of a subject that is tested, and what it has to be. */
  readonly name: keyof Subject & string
  readonly rule: Rule
  readonly cases: Readonly<Record<string, (scene: Scene) => Promise<void>>>
  /** Makes the scene of one case, and closes what it has opened. */
  runCase (run: (scene: Scene) => Promise<void>, subject: Subject): Promise<void>
}

async function runSuite<Subject extends { readonly cleanup?: () => unknown }, Scene> (
  { suite, name, rule, cases, runCase }: Suite<Subject, Scene>, options: ConformanceOptions<Subject>
): Promise<void> {
  const call = `as in ${suite}({ test, create: () => ({ ${name} }) })`
  if (!isObject(options)) throw new InvalidOptionError('options', `must be an object, ${call}`)
  const { create, test } = options
  if (!isFunction(create)) {
    throw new InvalidOptionError('create', `must be a function that returns an object with the ${name}, ${call}`)
  }
  if (!isFunction(test)) {
    throw new InvalidOptionError('test', `must be a test runner's function that registers a test, ${call}`)
  }
  await Promise.all(Object.entries(cases).map(([title, run]) => test(title, async () => {
    const subject = await create()
    assertSubject(subject)
    try {
      await runCase(run, subject)
    } finally {
      await subject.cleanup?.()
    }
  })))

  function assertSubject (subject: unknown): void {
    const example = `as in create: () => ({ ${name} })`
    const required = `must return an object with the ${name}`
    if (rule.holds(subject)) throw new InvalidOptionError('create', `${required}, not the ${name} itself, ${example}`)
    if (!isObject(subject)) throw new InvalidOptionError('create', `${required}, ${example}`)
    if (rule.holds(subject[name])) return
    throw new InvalidOptionError('create', `${required}, which ${rule.description}, ${example}`)
  }
}
