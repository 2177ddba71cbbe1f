import type { HttpClient } from '../../types/http.js'
import { abortingCases } from './http-client-conformance/aborting.js'
import { bodyCases } from './http-client-conformance/bodies.js'
import type { ConformanceCase } from './http-client-conformance/case.js'
import { lateReadingCases } from './http-client-conformance/late-reading.js'
import { publicOnlyCases } from './http-client-conformance/public-only.js'
import { requestCases } from './http-client-conformance/requests.js'
import { startServers } from './http-client-conformance/servers.js'

export interface HttpClientConformanceOptions {
  /** Creates a client. Called once for each test. */
  readonly create: () => HttpClient | Promise<HttpClient>
  /** Registers a test with the test runner: `t.test` of tap, `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

const cases: readonly ConformanceCase[] = [requestCases, bodyCases, lateReadingCases, abortingCases, publicOnlyCases].flat()

/**
 * Tests whether an HTTP client fulfils the `HttpClient` contract, against HTTP servers that it starts on 127.0.0.1. Registers one test
 * for each requirement, all of them before it returns. A test fails with an `AssertionError` that says what was expected, or with the
 * error that the client rejected with.
 *
 * Resolves when all that `test` has returned is resolved, and rejects when any of it rejects.
 *
 * @example
 * ```js
 * import test from 'node:test'
 * import { httpClientConformance } from 'fastify-onlyoffice/testing'
 * import { myHttpClient } from './my-http-client.js'
 *
 * httpClientConformance({ test, create: () => myHttpClient() })
 * ```
 */
export async function httpClientConformance ({ create, test }: HttpClientConformanceOptions): Promise<void> {
  await Promise.all(cases.map(({ name, run }) => test(name, async () => {
    const servers = startServers()
    const client = await create()
    try {
      await run({ client, ...servers })
    } finally {
      await client.close?.()
      await servers.close()
    }
  })))
}
