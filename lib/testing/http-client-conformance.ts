import type { HttpClient } from '../../types/http.js'
import { addressCases } from './http-client-conformance/addresses.js'
import { bodyCases } from './http-client-conformance/bodies.js'
import type { ConformanceCase } from './http-client-conformance/case.js'
import { endingCases } from './http-client-conformance/endings.js'
import { lateCases } from './http-client-conformance/late.js'
import { requestCases } from './http-client-conformance/requests.js'
import { startServers } from './http-client-conformance/servers.js'

export interface HttpClientConformanceOptions {
  /** Called once for each case: a client of its own. */
  readonly create: () => HttpClient | Promise<HttpClient>
  /** The test runner's function: `t.test` of tap, `test` of node:test or vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

const cases: readonly ConformanceCase[] = [...requestCases, ...bodyCases, ...lateCases, ...endingCases, ...addressCases]

/**
 * Proves that an HTTP client keeps every promise of the `HttpClient` contract, against servers of its own on
 * 127.0.0.1. Each promise is registered as one test, all of them before this returns; a test fails with an
 * `AssertionError` or with what the client rejected with. Resolves when everything that `test` returned has.
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
