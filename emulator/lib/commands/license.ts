import { SERVER_VERSION } from '../version.js'

const BUILD = 0
export const VERSION = `${SERVER_VERSION}.${BUILD}`

/** The answer to the command `license`, as recorded. A license for connections counts no users. */
export function license (): { readonly license: object, readonly server: object, readonly quota: object } {
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
      buildVersion: SERVER_VERSION,
      buildNumber: BUILD
    },
    quota: { users: [], users_view: [] }
  }
}
