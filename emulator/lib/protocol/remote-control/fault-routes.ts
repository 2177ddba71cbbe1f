import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { DocumentServerMembers } from '../../../types/document-server.js'
import type { FaultOptions, Faults } from '../../../types/faults.js'
import { invalid, RemoteError, withBody } from './requests.js'

const MAX_FAULTS = 1000

/** Adds and removes faults. */
export function faultRoutes (scope: FastifyInstance, { fault }: Pick<DocumentServerMembers, 'fault'>): void {
  const added = new Map<string, () => void>()

  const body = withBody({ route: {}, fault: { type: 'object' }, options: { type: 'object' } }, 'fault')
  scope.post('/faults', body, async (request, reply) => {
    const { route, fault, options = {} } = request.body as { route: unknown, fault: object, options?: object }
    if (added.size >= MAX_FAULTS) {
      throw new RemoteError(
        429,
        'TOO_MANY_FAULTS',
        `There are ${MAX_FAULTS} faults: remove some, or all with DELETE /emulator/faults`
      )
    }
    const id = randomUUID()
    added.set(id, add(route, fault, options))
    return await reply.code(201).send({ id })
  })

  scope.delete('/faults', async () => {
    for (const remove of added.values()) remove()
    const { size } = added
    added.clear()
    return { removed: size }
  })

  scope.delete('/faults/:id', async request => {
    const { id } = request.params as { id: string }
    const remove = added.get(id)
    if (remove === undefined) throw new RemoteError(404, 'NOT_FOUND', 'There is no such fault')
    remove()
    added.delete(id)
    return { id }
  })

  /** JSON has no infinity: `times` may be `"always"`. */
  function add (route: unknown, what: object, { times, ...options }: { readonly times?: unknown }): () => void {
    try {
      return fault(
        route as keyof Faults,
        what as Faults[keyof Faults],
        { ...options, ...(times !== undefined && { times: times === 'always' ? Infinity : times }) } as FaultOptions
      )
    } catch (error) {
      throw error instanceof TypeError ? invalid(error.message) : error
    }
  }
}
