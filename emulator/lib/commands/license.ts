import { SERVER_VERSION } from '../sessions/built.js'
import { type OpenDocument, userIds } from '../sessions/documents.js'

const BUILD = 0
export const VERSION = `${SERVER_VERSION}.${BUILD}`

/** The answer to the command `license`: fields as recorded, values of an unlimited developer server. */
export function license (documents: readonly OpenDocument[]): { readonly license: object, readonly server: object, readonly quota: object } {
  const everybody = documents.flatMap(({ participants }) => [...participants.values()])
  const quota = (viewOnly: boolean) => userIds(everybody.filter(user => user.viewOnly === viewOnly)).map(userid => ({ userid, expire: null }))
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
    quota: { users: quota(false), users_view: quota(true) }
  }
}
