import type { Build } from '../../version.js'

/** The answer to the command `license`, as recorded. A license for connections counts no users. */
export function license (
  { version, number }: Build
): { readonly license: object, readonly server: object, readonly quota: object } {
  return {
    license: {
      start_date: '2026-01-01T00:00:00.000Z',
      end_date: null,
      timelimited: false,
      trial: false,
      developer: false,
      branding: false,
      customization: false,
      advanced_api: false,
      connections: 20,
      connections_view: 20,
      users_count: 0,
      users_view_count: 0,
      users_expire: 1,
      customer_id: '',
      alias: '',
      multitenancy: false
    },
    server: {
      workersCount: 1,
      resultType: 3,
      packageType: 0,
      buildDate: '2026-01-01T00:00:00.000Z',
      buildVersion: version,
      buildNumber: number
    },
    quota: { users: [], users_view: [] }
  }
}
