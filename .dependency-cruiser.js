// Which part of the code may import which. Run it with `npm run check:imports`.
//
// A name is a folder or a file below lib/, without its extension. Every part may import itself, lib/errors.ts and types/;
// what runs in the browser may only import itself. A part that is not listed may import nothing.

const plugin = {
  index: ['editor', 'commonjs', 'exports'],
  exports: ['editor', 'fragment-type', 'storage', 'http-client', 'blank/blank-document', 'document-server/upload-check'],
  commonjs: ['editor', 'fragment-type', 'storage', 'http-client', 'blank/blank-document', 'document-server/upload-check'],
  editor: ['plugin'],
  plugin: ['options', 'parts', 'security', 'shutdown', 'openapi', 'actions', 'handler', 'control', 'doctor', 'recovery', 'sessions', 'document-server', 'storage', 'http-client'],
  parts: ['options', 'services', 'shutdown', 'handler', 'control/signed-data', 'doctor', 'history', 'recovery', 'sessions', 'save', 'document-server', 'outbound', 'security', 'storage'],
  cli: ['editor', 'doctor/plain-text', 'doctor/render-text', 'storage', 'nearest'],
  actions: ['options', 'bounded-map', 'json', 'streams', 'url', 'with-timeout', 'control', 'handler/credentials', 'handler/responses', 'handler/route-options', 'storage/timed-storage', 'document-server', 'security'],
  handler: ['options', 'fragment-type', 'diagnostics', 'bounded-map', 'shutdown', 'json', 'queue', 'streams', 'url', 'with-timeout', 'digest', 'save', 'history/versions', 'sessions', 'document-server', 'outbound', 'security', 'control/page-defaults', 'doctor/guide', 'doctor/openings', 'doctor/probe-document', 'doctor/probes'],
  openapi: ['options', 'actions/requests', 'actions/results', 'document-server/formats', 'handler/callback-event', 'handler/request', 'handler/route-options'],
  control: ['diagnostics', 'blank/blank-document', 'history', 'html', 'json', 'streams', 'url', 'sessions', 'document-server', 'security', 'doctor/openings', 'rules', 'nearest', 'content'],
  doctor: ['zip', 'options', 'html', 'json', 'queue', 'streams', 'url', 'with-timeout', 'document-server', 'outbound', 'security', 'bounded-map', 'rules'],
  services: ['options', 'shutdown', 'document-server', 'outbound', 'storage/timed-storage'],
  csv: ['services', 'streams'],
  save: ['services', 'bounded-map', 'content', 'csv', 'history/details', 'queue', 'turns', 'streams', 'url', 'with-timeout', 'digest', 'sessions', 'document-server/content-check', 'document-server/commands', 'outbound', 'rules', 'storage/call-options', 'storage/spool', 'storage/timed-storage'],
  history: ['services', 'queue', 'shared', 'streams', 'url', 'with-timeout', 'save', 'sessions', 'document-server/document-key', 'security', 'rules', 'storage/timed-storage'],
  recovery: ['services', 'bounded-map', 'diagnostics', 'queue', 'url', 'with-timeout', 'digest', 'csv', 'save', 'sessions', 'document-server', 'rules', 'storage/spool'],
  sessions: ['services', 'bounded-map', 'shared', 'with-timeout', 'document-server/commands', 'document-server/document-key', 'rules'],
  'document-server': ['options', 'diagnostics', 'rules', 'json', 'streams', 'url', 'with-timeout', 'digest', 'outbound', 'security', 'content'],
  blank: ['zip', 'document-server/formats', 'rules'],
  outbound: ['options', 'streams', 'url', 'with-timeout', 'security/public-ip', 'security/result-path'],
  security: ['url'],
  storage: ['bounded-map', 'json', 'queue', 'rules', 'streams', 'turns', 'with-timeout', 'document-server/formats', 'security/file-id', 'content'],
  'http-client': ['rules', 'streams', 'url', 'security/public-ip'],
  options: ['profiles', 'rules', 'url', 'document-server/server-urls', 'http-client/connection-rules', 'security/weak-secret'],
  profiles: [],
  rules: ['nearest'],
  nearest: [],
  'bounded-map': [],
  diagnostics: [],
  content: ['rules', 'streams'],
  digest: [],
  'fragment-type': [],
  html: [],
  json: [],
  queue: [],
  turns: [],
  shutdown: [],
  streams: [],
  url: [],
  'with-timeout': [],
  zip: [],
  testing: ['rules'],
  browser: [],
  errors: []
}

const common = ['formats', 'json', 'url', 'version']

const emulator = {
  index: ['create', 'clock'],
  cli: [...common, 'create', 'clock'],
  create: [
    ...common, 'allowed-hosts', 'options', 'clock', 'commands', 'conversions', 'document-builder', 'editor-page', 'faults', 'lifecycle', 'meta', 'outbound',
    'remote-control', 'request-log', 'result-files', 'sessions', 'status-page', 'tokens'
  ],
  'remote-control': [...common, 'allowed-hosts', 'request-log'],
  'status-page': [...common, 'outbound', 'sessions'],
  'editor-page': [...common, 'allowed-hosts', 'clock', 'conversions', 'documents', 'faults', 'outbound', 'result-files', 'sessions', 'tokens'],
  commands: [...common, 'sessions', 'tokens'],
  conversions: [...common, 'clock', 'documents', 'faults', 'outbound', 'result-files', 'tokens'],
  'document-builder': [...common, 'clock', 'conversions', 'documents', 'faults', 'outbound', 'result-files', 'tokens'],
  meta: common,
  lifecycle: ['sessions'],
  sessions: [...common, 'clock', 'documents', 'faults', 'outbound', 'result-files', 'tokens'],
  outbound: [...common, 'clock', 'documents', 'tokens'],
  'request-log': common,
  documents: [...common, 'browser/writing/merge'],
  faults: [...common, 'clock'],
  tokens: [...common, 'clock'],
  'result-files': [...common, 'clock'],
  'allowed-hosts': ['url'],
  options: [],
  clock: [],
  formats: [],
  json: [],
  url: [],
  version: [],
  browser: [],
  errors: []
}

// Packages and modules of Node.js that only these parts may import. Every part may import the others.
const restricted = {
  undici: ['lib/http-client', 'emulator/lib/outbound'],
  'fast-jwt': ['lib/document-server/token'],
  '@aws-sdk': ['lib/storage/s3/direct-requests', 'lib/storage/s3/object-store', 'lib/storage/s3/s3-storage'],
  '@fastify/error': ['lib/errors'],
  '@fastify/static': ['lib/handler/assets', 'emulator/lib/editor-page'],
  '@fastify/websocket': ['emulator/lib/editor-page'],
  '@xmldom/xmldom': ['emulator/lib/documents'],
  numfmt: ['emulator/lib/documents'],
  typebox: ['lib/.+\\.schema'],
  pdfkit: ['emulator/lib/conversions/converter'],
  'dejavu-fonts-ttf': ['emulator/lib/conversions/converter'],
  'node:fs': ['lib/cli', 'lib/storage', 'lib/handler/page-modules', 'emulator/lib/conversions/converter', 'emulator/lib/cli', 'emulator/lib/version'],
  'node:child_process': ['emulator/lib/conversions/converter'],
  'node:net': ['lib/http-client', 'lib/security/public-ip', 'lib/testing', 'emulator/lib'],
  'node:http': ['lib/storage/file-body', 'lib/testing', 'emulator/lib'], // the first only tells responses from other streams
  'node:https': [],
  'node:http2': [],
  'node:tls': [],
  'node:dgram': []
}

/** Matches each folder or file of these names, whatever its extension. */
const matching = (folder, names) => `^${folder}(${names.join('|')})[./]`

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

const partsOf = (folder, parts) => [
  forbid(`${folder}lib: part without a rule`, { path: `^${folder}lib/`, pathNot: matching(`${folder}lib/`, Object.keys(parts)) }, {}),
  ...Object.entries(parts).map(([part, imports]) => forbid(
    `${folder}lib/${part}`,
    { path: matching(`${folder}lib/`, [part]) },
    { path: `^${folder}lib/`, pathNot: matching(`${folder}lib/`, [part, 'errors', ...imports]) }
  )),
  forbid(`${folder}types`, { path: `^${folder}types/` }, { path: `^${folder}lib/` })
]

export default {
  forbidden: [
    ...partsOf('', plugin),
    ...partsOf('emulator/', emulator),
    forbid('plugin without emulator', { path: '^(lib|types)/' }, { path: '(^|/)(onlyoffice-)?emulator(/|$)' }),
    forbid('emulator without plugin', { path: '^emulator/' }, { path: '^(lib|types|dist)/|(^|/)fastify-onlyoffice(/|$)' }),
    forbid('browser without anything else', { path: '^(emulator/)?lib/browser/' }, { pathNot: '^(emulator/)?lib/browser/' }),
    ...Object.entries(restricted).map(([name, parts]) => forbid(
      name,
      parts.length === 0 ? {} : { pathNot: matching('', parts) },
      { path: `(^|node_modules/)(@types/)?${name.replace('node:', '(node:)?')}(/|$)` }
    )),
    forbid('schemas at build time only', { path: '^lib/', pathNot: '\\.schema\\.ts$' }, { path: '\\.schema\\.ts$', dependencyTypesNot: ['type-only'] }),
    // Types count: a module that needs the types of its importer is not yet a module of its own.
    forbid('no cycles', { path: '^(lib|types)/' }, { circular: true }),
    forbid('no cycles at run time', { path: '^emulator/' }, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('not found', {}, { couldNotResolve: true })
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^lib/assets/' }, // made by the build
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true, // type-only imports too
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] }
  }
}
