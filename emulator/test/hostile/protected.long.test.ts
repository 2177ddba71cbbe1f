import t from 'tap'
import { decrypted } from '../../lib/documents/office/protected/decrypt.js'
import { protectedFile } from '../protected.js'
import { fixture } from '../support.js'

const PASSWORD = 'secret'
const whole = protectedFile(fixture('report.docx'), PASSWORD, 100)

/** The content, `null`, or `'malformed'`. */
function outcomeOf (bytes: Uint8Array): Buffer | string | null {
  try {
    return decrypted(bytes, PASSWORD)
  } catch {
    return 'malformed'
  }
}

t.test('a protected file is decrypted to the same bytes, a damaged one ends in an error', async t => {
  t.strictSame(outcomeOf(whole), fixture('report.docx'))
  for (let size = 0; size < whole.length - 512; size += 509) t.notSame(outcomeOf(whole.subarray(0, size)), fixture('report.docx'), `${size} bytes`)
  for (let at = 0; at < 1200; at += 3) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 0xFF
    outcomeOf(damaged) // must end
  }
  t.pass('whatever byte of the header and the table is wrong')
})

t.test('a chain of sectors that is a circle, and a password that takes forever, are refused', async t => {
  const circle = Buffer.from(whole)
  for (let sector = 1; sector < 128; sector++) circle.writeUInt32LE(1, 512 + sector * 4)
  t.equal(outcomeOf(circle), 'malformed')
  const forever = Buffer.from(whole.toString('latin1').replace('spinCount="100"', 'spinCount="9e9"'), 'latin1')
  t.equal(forever.length, whole.length)
  t.equal(outcomeOf(forever), null)
})
