import { BlockList, isIP } from 'node:net'

/** @import { FastifyRequest } from 'fastify' */

/** Below the plugin's default path. */
export const DOCTOR_PATH = '/Controls/Editor/EditorHandler.ashx/doctor'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/**
 * The demo has no login: only users of this machine may see the doctor's report.
 * @param {FastifyRequest} request
 */
export function isFromThisMachine ({ socket: { remoteAddress = '' } }) {
  const version = isIP(remoteAddress)
  return version !== 0 && loopback.check(remoteAddress, version === 6 ? 'ipv6' : 'ipv4')
}
