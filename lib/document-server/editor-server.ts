import type { CommandOptions, EditorServer } from '../../types/document-server.js'
import { InvalidKeyError, UpstreamError } from '../errors.js'
import { statusError } from '../outbound/outbound.js'
import { assertOptions, requestRules, type Rules, Signal, TrueOrFalse } from '../util/validate.js'
import type { DocumentServerClient } from './client.js'
import { checkedCommand, type Commands } from './commands.js'

interface Dependencies {
  readonly client: DocumentServerClient
  readonly commands: Pick<Commands, 'send'>
  /** Whether this application made a document key. */
  readonly isOwnKey: (key: string) => boolean
}

const commandRules: Rules<CommandOptions> = { foreignKey: TrueOrFalse, signal: Signal }

const HEALTHCHECK_TIMEOUT_MS = 10_000

/** The services that need no file: health check and commands. */
export function createEditorServer (
  { client, commands, isOwnKey }: Dependencies
): Pick<EditorServer, 'healthcheck' | 'command' | 'version' | 'license'> {
  return {
    async healthcheck (options = {}) {
      assertOptions(requestRules, options)
      const { signal } = options
      // A healthy and an unhealthy document server both answer status 200. Source:
      // docs/document-server-protocol.md#other-paths
      const { status, text } = await client.get('/healthcheck', { signal, total: HEALTHCHECK_TIMEOUT_MS })
      if (status !== 200) throw statusError(status, `the health check answered status ${status}`)
      if (text.trim() !== 'true' && text.trim() !== 'false') {
        throw new UpstreamError('the answer to the health check is not one of a document server', { retryable: false })
      }
      return text.trim() === 'true'
    },

    async command (given, options = {}) {
      assertOptions(commandRules, options)
      const { foreignKey = false, signal } = options
      const command = checkedCommand(given)
      if ('key' in command && !foreignKey && !isOwnKey(command.key)) {
        throw new InvalidKeyError('was not made by this application: set foreignKey if that is intended')
      }
      return await commands.send(command, signal && { signal })
    },

    async version (options = {}) {
      assertOptions(requestRules, options)
      return (await commands.send({ c: 'version' }, options)).version
    },

    async license (options = {}) {
      assertOptions(requestRules, options)
      return await commands.send({ c: 'license' }, options)
    }
  }
}
