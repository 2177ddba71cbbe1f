import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Setting = readonly [path: string, name: string, value: string | number | boolean]

// Nothing listens on the discard port. Every request goes to this proxy, even those to loopback addresses.
const NOWHERE = { host: '127.0.0.1', port: 9 }

const SETTINGS: readonly Setting[] = [
  ['Inet/Settings', 'ooInetProxyType', 2],
  ['Inet/Settings', 'ooInetNoProxy', ''],
  ...['HTTP', 'HTTPS', 'FTP'].flatMap((scheme): Setting[] => [
    ['Inet/Settings', `ooInet${scheme}ProxyName`, NOWHERE.host],
    ['Inet/Settings', `ooInet${scheme}ProxyPort`, NOWHERE.port]
  ]),
  // Blocks links to files.
  ['Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', true],
  ['Office.Common/Security/Scripting', 'DisableActiveContent', true],
  ['Office.Common/Security/Scripting', 'DisableMacrosExecution', true],
  ['Office.Common/Security/Scripting', 'MacroSecurityLevel', 3],
  ['Office.Writer/Content/Update', 'Link', 2],
  ['Office.Calc/Content/Update', 'Link', 2]
]

/** Writes a profile with which LibreOffice makes no requests and runs no macros. */
export async function offlineProfile (directory: string): Promise<void> {
  await mkdir(join(directory, 'user'), { recursive: true })
  const items = SETTINGS.map(([path, name, value]) =>
    `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>\n`
  )
  await writeFile(
    join(directory, 'user', 'registrymodifications.xcu'),
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      `<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n${items.join('')}</oor:items>\n`
  )
}
