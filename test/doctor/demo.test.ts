import t from 'tap'
import { isFromThisMachine } from '../../examples/demo/doctor.js'

t.test('the demo shows the doctor to users of its machine only', async t => {
  const cases: Array<[remoteAddress: string | undefined, expected: boolean]> = [
    ['127.0.0.1', true], ['127.9.9.9', true], ['::1', true], ['::ffff:127.0.0.1', true],
    ['192.168.1.2', false], ['::ffff:192.168.1.2', false], ['::', false], ['0.0.0.0', false], ['fe80::1', false], ['', false], [undefined, false]
  ]
  for (const [remoteAddress, expected] of cases) {
    t.equal(isFromThisMachine({ socket: { remoteAddress } } as Parameters<typeof isFromThisMachine>[0]), expected, String(remoteAddress))
  }
})
