import t from 'tap'
import { InvalidOptionError, memoryStorage, undiciClient } from '../../lib/index.js'
import { httpClientConformance, storageConformance } from '../../lib/conformance/index.js'

interface Arguments {
  readonly create: () => unknown
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

const suites = {
  storageConformance: { suite: storageConformance as unknown as Suite, member: 'storage', make: memoryStorage, rule: 'must be what fileStorage, memoryStorage, s3Storage, postgresStorage or documentStorage returns' },
  httpClientConformance: { suite: httpClientConformance as unknown as Suite, member: 'client', make: undiciClient, rule: 'must be an object with the methods request' }
}
type Suite = (options?: Partial<Arguments>) => Promise<void>

for (const [name, { suite, member, make, rule }] of Object.entries(suites)) {
  const call = `${name}({ test, create: () => ({ ${member} }) })`
  const example = `create: () => ({ ${member} })`
  const test: Arguments['test'] = () => { throw new Error('a test was registered') }

  t.test(`${name} is called with two functions, and says so otherwise`, async t => {
    await t.rejects(suite(), new InvalidOptionError('options', `must be an object, as in ${call}`))
    await t.rejects(suite({ test }), new InvalidOptionError('create', `must be a function that returns an object with the ${member}, as in ${call}`))
    await t.rejects(suite({ create: make }), new InvalidOptionError('test', `must be a test runner's function that registers a test, as in ${call}`))
  })

  t.test(`each test of ${name} fails with what create has to return, if it returns something else`, async t => {
    const failures = async (created: unknown) => {
      const messages = new Set<string>()
      await suite({ create: async () => created, test: (_name, run) => run().catch(({ message }) => messages.add(message)) })
      return [...messages]
    }
    t.strictSame(await failures(make()), [
      `Option create must return an object with the ${member}, not the ${member} itself, as in ${example}`
    ])
    t.strictSame(await failures(undefined), [
      `Option create must return an object with the ${member}, as in ${example}`
    ])
    t.strictSame(await failures({ [member]: {} }), [
      `Option create must return an object with the ${member}, which ${rule}, as in ${example}`
    ])
  })

  t.test(`${name} cleans up after each test, when the ${member} is closed`, async t => {
    const events: string[] = []
    const create = () => ({ [member]: { ...make(), close: async () => { events.push('closed') } }, cleanup: () => events.push('cleaned up') })
    let registered = 0
    await suite({ create, test: (_name, run) => registered++ === 0 ? run() : undefined })
    t.ok(registered > 15)
    t.strictSame(events, ['closed', 'cleaned up'])
  })
}
