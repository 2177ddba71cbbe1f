export interface Advisory {
  readonly id: string
  /** The first version without it. */
  readonly fixedIn: string
  readonly subject: string
  /** Whether it concerns only document servers that verify no tokens. */
  readonly withoutTokens?: true
}

/** Published vulnerabilities of ONLYOFFICE Docs. Sources: the CVE records, and the change log of ONLYOFFICE/DocumentServer. */
export const advisories: readonly Advisory[] = [
  { id: 'CVE-2020-11534', fixedIn: '5.5.1', subject: 'a crafted document runs commands on the server' },
  { id: 'CVE-2021-3199', fixedIn: '5.6.3', subject: 'writing files outside of the allowed directory, and running code' },
  { id: 'CVE-2021-43444', fixedIn: '7.2.0', subject: 'a default key signs the URLs of files' },
  { id: 'CVE-2021-43445', fixedIn: '7.2.0', subject: 'a default key signs tokens' },
  { id: 'CVE-2021-43446', fixedIn: '7.2.0', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2021-43447', fixedIn: '7.2.0', subject: 'documents can be edited without authentication', withoutTokens: true },
  { id: 'CVE-2021-43448', fixedIn: '7.2.0', subject: 'users can take any name', withoutTokens: true },
  { id: 'CVE-2021-43449', fixedIn: '7.2.0', subject: 'the server fetches any URL for anybody', withoutTokens: true },
  { id: 'CVE-2022-47412', fixedIn: '7.3.3', subject: 'text that is searched for runs scripts in the page' },
  { id: 'CVE-2023-30186', fixedIn: '7.3.3', subject: 'a crafted script runs code on the server' },
  { id: 'CVE-2023-30187', fixedIn: '7.3.3', subject: 'a crafted script runs code on the server' },
  { id: 'CVE-2023-30188', fixedIn: '7.3.3', subject: 'a crafted script exhausts the memory' },
  { id: 'CVE-2023-50883', fixedIn: '8.0.1', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2024-44085', fixedIn: '8.1.0', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2025-5301', fixedIn: '8.3.2', subject: 'a request to its WOPI pages runs scripts in the page' },
  { id: 'CVE-2026-110652', fixedIn: '10.0.0', subject: 'the server fetches internal URLs for anybody', withoutTokens: true }
]

/** The advisories that concern a version, such as `9.3.0.140`. */
export function advisoriesFor (version: string, { hasTokens }: { readonly hasTokens: boolean }): readonly Advisory[] {
  return advisories.filter(({ fixedIn, withoutTokens }) => isOlder(version, fixedIn) && !(hasTokens && withoutTokens))
}

export function isOlder (version: string, than: string): boolean {
  const [given, limit] = [version, than].map(text => text.split('.').map(Number)) as [number[], number[]]
  for (const [index, number] of limit.entries()) {
    const own = given[index] ?? 0
    if (own !== number) return own < number
  }
  return false
}
