import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { OpenDocument } from '../sessions/open-document.js'
import { userIds } from '../sessions/participants.js'
import type { Build } from '../../version.js'
import { license } from './license.js'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/**
 * `/info/info.json`: connections and license. Only for the same machine, as in the document server's own nginx
 * configuration.
 */
export function serverInfoRoute (app: FastifyInstance, documents: () => readonly OpenDocument[], build: Build): void {
  app.get('/info/info.json', async (request, reply) => {
    const { remoteAddress = '' } = request.socket
    if (isIP(remoteAddress) === 0 || !LOOPBACK.test(remoteAddress)) {
      return await reply.code(403).type('text/plain; charset=utf-8').send('Forbidden')
    }
    return serverInfo(documents(), build)
  })
}

function serverInfo (documents: readonly OpenDocument[], build: Build): object {
  const everybody = documents.flatMap(({ participants }) => [...participants.values()])
  const [editors, viewers] = [false, true].map(viewOnly =>
    everybody.filter(participant => participant.viewOnly === viewOnly)
  ) as [typeof everybody, typeof everybody]
  const counted = ({ length }: { readonly length: number }) => ({ min: length, avr: length, max: length })
  const connections = { edit: counted(editors), liveview: counted([]), view: counted(viewers) }
  const quota = (users: typeof everybody) => ({
    connectionsCount: users.length,
    usersCount: { unique: userIds(users).length, anonymous: 0 }
  })
  const { license: licenseInfo, server: serverInfo } = license(build)
  return {
    connectionsStat: { hour: connections, day: connections, week: connections, month: connections },
    licenseInfo,
    serverInfo,
    quota: { edit: quota(editors), view: quota(viewers), byMonth: [] }
  }
}
