/** Folders and files of lib, and types: one room of the house each. */
export type Room = keyof typeof rooms

const contracts = ['errors', 'types'] as const

/** What a room may import of the others. Whatever isn't named here is forbidden. */
export const rooms = {
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
  testing: ['url', 'document-server/token.ts', 'document-server/formats.ts', 'security/file-id.ts', ...contracts],
  browser: [],
  errors: [],
  types: []
} as const satisfies Record<string, readonly string[]>

/** Who may import a package or a module of Node.js. What isn't named here is free. */
export const restricted: ReadonlyArray<readonly [specifier: RegExp, readonly string[]]> = [
  [/^undici$/, ['lib/http/', 'lib/testing/']],
  [/^fast-jwt$/, ['lib/document-server/token.ts']],
  [/^node:fs(\/|$)/, ['lib/storage/', 'lib/testing/']],
  [/^node:(http|https|http2|tls|dgram|child_process)$/, ['lib/http/', 'lib/testing/']],
  [/^node:net$/, ['lib/http/', 'lib/security/address-policy.ts', 'lib/testing/']],
  [/^@aws-sdk\//, ['lib/storage/s3-storage.ts']],
  [/^@fastify\/(static|websocket)$/, ['lib/plugin.ts', 'lib/testing/']],
  [/^@fastify\/error$/, ['lib/errors.ts', 'lib/testing/']],
  [/^(fs|http|https|http2|net|tls|dgram|child_process|crypto|stream|path|url|os|util|events|zlib)(\/|$)/, []],
  [/^\(computed\)$/, []]
]
