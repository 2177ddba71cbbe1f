import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { libreOffice } from '../../lib/conversions/pdf/libre-office.js'

t.test('soffice is run in a directory and with a profile of its own, both removed', async t => {
  const directory = t.testdir({
    soffice: `#!/bin/sh
printf '%s\\n' "$@" > "$0.arguments"
for last; do :; done
mkdir "$7" && { printf '%%PDF-'; cat "$last"; } > "$7/source.pdf"
`
  })
  const { chmodSync } = await import('node:fs')
  chmodSync(`${directory}/soffice`, 0o755)
  const convert = await libreOffice(`${directory}/soffice`)
  t.equal((await convert!(Buffer.from('$(text)'), 'txt', 'pdf'))?.toString(), '%PDF-$(text)')

  const [profile, ...rest] = readFileSync(`${directory}/soffice.arguments`, 'utf8').trim().split('\n')
  const source = rest.at(-1)!
  t.strictSame(rest.slice(0, 4), ['--headless', '--norestore', '--convert-to', 'pdf'])
  t.equal(profile, `-env:UserInstallation=file://${dirname(source)}/profile`)
  t.equal(existsSync(dirname(source)), false)
})

t.test('a soffice that fails or is missing converts nothing', async t => {
  t.equal(await (await libreOffice('/bin/false'))!(Buffer.from('x'), 'txt', 'pdf'), null)
  t.equal(await (await libreOffice('/nowhere/soffice'))!(Buffer.from('x'), 'txt', 'pdf'), null)
  t.equal(await libreOffice(false), null)
})
