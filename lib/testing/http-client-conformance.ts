import type { HttpClient } from '../../types/http.js'
import { objectWith } from '../util/validate.js'
import { assertConformanceOptions, type ConformanceOptions, createSubject } from './conformance.js'
import { abortingCases, bodyCases, encodedOrNotCases } from './http-client-conformance/bodies.js'
import { startServers } from './http-client-conformance/case.js'
import { publicOnlyCases, requestCases } from './http-client-conformance/requests.js'

export interface HttpClientSubject {
  /** The client under test. It is closed after the test, if it has a `close`. */
  readonly client: HttpClient
  /** Called after the test, whether it passed or failed, when `client` has been closed. */
  readonly cleanup?: () => unknown
}

export type HttpClientConformanceOptions = ConformanceOptions<HttpClientSubject>

const cases = { ...requestCases, ...bodyCases, ...abortingCases, ...encodedOrNotCases, ...publicOnlyCases }

const tested = { name: 'client', rule: objectWith('request') } as const

/**
 * Tests whether an HTTP client fulfils the `HttpClient` contract, against HTTP servers that it starts on 127.0.0.1.
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
 * import { httpClientConformance } from 'fastify-onlyoffice/testing'
 * import { myHttpClient } from './my-http-client.js'
 *
 * httpClientConformance({ test, create: () => ({ client: myHttpClient() }) })
 * ```
 */
export async function httpClientConformance (options: HttpClientConformanceOptions): Promise<void> {
  assertConformanceOptions('httpClientConformance', options, tested)
  const { create, test } = options
  await Promise.all(Object.entries(cases).map(([name, run]) => test(name, async () => {
    const subject = await createSubject(create, tested)
    const { client } = subject
    const servers = startServers()
    try {
      await run({ client, ...servers })
    } finally {
      await client.close?.()
      await servers.close()
      await subject.cleanup?.()
    }
  })))
}
