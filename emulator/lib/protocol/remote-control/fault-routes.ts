import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { DocumentServerMembers } from '../../../types/document-server.js'
import type { FaultOptions, Faults } from '../../../types/faults.js'
import { invalid, RemoteError } from './errors.js'
import { fieldsOf, requiredObject } from './fields.js'

const MAX_FAULTS = 1000

/** Adds and removes faults. */
export function faultRoutes (scope: FastifyInstance, { fault }: Pick<DocumentServerMembers, 'fault'>): void {
  const added = new Map<string, () => void>()

  scope.post('/faults', async (request, reply) => {
    const fields = fieldsOf(request)
    if (added.size >= MAX_FAULTS) {
      throw new RemoteError(
        429,
        'TOO_MANY_FAULTS',
        `There are ${MAX_FAULTS} faults: remove some, or all with DELETE /emulator/faults`
      )
    }
    const options = fields.options === undefined ? {} : requiredObject(fields, 'options')
    const id = randomUUID()
    added.set(id, add(fields.route, requiredObject(fields, 'fault'), options))
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
  function add (route: unknown, what: object, { times, ...options }: Readonly<Record<string, unknown>>): () => void {
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
