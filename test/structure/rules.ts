/** What the parts of a package may import. */
export interface Layout {
  /** Folders and files of lib, and types: one room of the house each, and what it may import of the others. Nothing else is allowed. */
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** Who may import a package or a module of Node.js. What isn't named here is free. */
  readonly restricted: ReadonlyArray<readonly [specifier: RegExp, readonly string[]]>
}

const contracts = ['errors', 'types'] as const

const nodeModulesByTheirScheme = [/^(fs|http|https|http2|net|tls|dgram|child_process|crypto|stream|path|url|os|util|events|zlib)(\/|$)/, []] as const
const whatCannotBeKnown = [/^\(computed\)$/, []] as const

export const plugin: Layout = {
  rooms: {
    index: ['plugin', 'commonjs', 'storage', 'http', ...contracts],
    commonjs: ['plugin', 'storage', 'http', ...contracts],
    plugin: ['options', 'handler', 'control', 'save', 'document-server', 'outbound', 'security', 'storage', 'http', ...contracts],
    handler: ['readable', 'url', 'within', 'queue', 'save', 'document-server', 'outbound', 'security', 'options', 'schemas', ...contracts],
    control: ['readable', 'save', 'document-server', 'security', ...contracts],
    save: ['readable', 'url', 'within', 'queue', 'outbound', 'options', ...contracts],
    'document-server': ['readable', 'outbound', 'security', ...contracts],
    security: ['url', ...contracts],
    outbound: ['readable', 'options', 'security/http-url.ts', 'security/address-policy.ts', 'security/result-path.ts', ...contracts],
    options: ['profiles', 'url', 'security/weak-secret.ts', ...contracts],
    profiles: contracts,
    schemas: contracts,
    url: [],
    within: contracts,
    queue: [],
    readable: [],
    storage: ['readable', 'queue', 'document-server/formats.ts', 'security/file-id.ts', ...contracts],
    http: ['url', 'security/address-policy.ts', ...contracts],
    testing: contracts,
    browser: [],
    errors: [],
    types: []
  },
  restricted: [
    [/^undici$/, ['lib/http/']],
    [/^fast-jwt$/, ['lib/document-server/token.ts']],
    [/^node:fs(\/|$)/, ['lib/storage/']],
    [/^node:(http|https|http2|tls|dgram|child_process)$/, ['lib/http/', 'lib/testing/']],
    [/^node:net$/, ['lib/http/', 'lib/security/address-policy.ts', 'lib/testing/']],
    [/^@aws-sdk\//, ['lib/storage/s3-storage.ts']],
    [/^@fastify\/(static|websocket)$/, ['lib/plugin.ts']],
    [/^@fastify\/error$/, ['lib/errors.ts']],
    [/^(onlyoffice-emulator$|emulator\/)/, []],
    nodeModulesByTheirScheme,
    whatCannotBeKnown
  ]
}

const basics = ['url', 'json', 'formats', 'version', ...contracts] as const
const serving = ['base-url', 'own-names', 'tokens', 'results', 'sessions', ...basics] as const

/** The emulated document server. */
export const emulator: Layout = {
  rooms: {
    index: ['create', 'clock', ...contracts],
    cli: ['create', 'clock', ...basics],
    create: [
      'lifecycle', 'commands', 'conversions', 'page', 'remote', 'status', 'log', 'host', 'faults', 'clock', 'documents', ...serving
    ],
    remote: ['log', 'own-names', ...basics],
    status: ['sessions', 'host', ...basics],
    page: ['conversions', 'documents', ...serving],
    commands: serving,
    conversions: ['documents', 'host', 'faults', 'clock', ...serving],
    lifecycle: ['sessions', ...contracts],
    sessions: ['documents', 'host', 'faults', 'results', 'tokens', 'clock', ...basics],
    log: ['own-paths', ...basics],
    host: ['documents', 'tokens', 'clock', ...basics],
    documents: ['browser/writing/merge.js', ...basics],
    faults: ['clock', ...basics],
    tokens: ['clock', ...basics],
    results: ['clock', ...basics],
    clock: contracts,
    'own-names': ['url', ...contracts],
    'own-paths': [],
    'base-url': ['url'],
    formats: [],
    json: [],
    url: [],
    version: [],
    browser: [],
    errors: ['types'],
    types: []
  },
  restricted: [
    [/^undici$/, ['lib/host/']],
    [/^node:fs(\/|$)/, ['lib/conversions/pdf/', 'lib/cli/', 'lib/version.ts']],
    [/^node:child_process$/, ['lib/conversions/pdf/']],
    [/^(@xmldom\/xmldom|numfmt)$/, ['lib/documents/']],
    [/^(pdfkit|dejavu-fonts-ttf)$/, ['lib/conversions/pdf/']],
    [/^@fastify\/(static|websocket)$/, ['lib/page/']],
    [/^(fastify-onlyoffice(\/|$)|\.\.\/)/, []], // out of the package
    nodeModulesByTheirScheme,
    whatCannotBeKnown
  ]
}
