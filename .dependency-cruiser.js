// Which part of the code may import which. Run it with `npm run check:imports`.
//
// A name is a folder or a file below lib/, without its extension. Every part may import itself, lib/errors.ts,
// lib/store/contract.ts, lib/util/ and types/; what runs in the browser may only import itself
// and the packages that the editor page serves. A part that is not listed may import nothing.

const plugin = {
  index: ['commonjs', 'exports'],
  exports: ['plugin', 'control/page', 'store/files', 'store/memory', 'http-client', 'blank/blank-document', 'document-server/content-check', 'security/names'],
  commonjs: ['exports'],
  plugin: ['options', 'parts', 'services', 'security', 'actions', 'handler', 'control', 'doctor', 'sessions', 'document-server', 'store/files', 'http-client'],
  parts: ['options', 'services', 'handler', 'control/signed-data', 'doctor', 'history', 'sessions', 'save', 'document-server', 'outbound', 'security', 'store/files', 'store/timed-storage', 'save/retention'],
  cli: ['exports', 'doctor/findings', 'doctor/render', 'store/files', 'store/memory'],
  actions: ['options', 'services', 'control', 'handler/request', 'document-server', 'outbound', 'security'],
  handler: ['options', 'parts', 'services', 'diagnostics', 'save', 'history/versions', 'sessions', 'document-server', 'outbound', 'security', 'control/defaults', 'control/page', 'blank/blank-document'],
  control: ['parts', 'services', 'diagnostics', 'blank', 'history', 'save', 'sessions', 'document-server'],
  doctor: ['options', 'services', 'document-server', 'handler/observer', 'handler/probes', 'handler/request', 'outbound', 'security', 'sessions/openings', 'store/timed-storage', 'blank/blank-document'],
  services: ['options', 'document-server', 'outbound', 'security', 'store/timed-storage', 'save/retention'],
  csv: ['services', 'document-server/formats'],
  save: ['services', 'diagnostics', 'csv', 'sessions', 'document-server/content-check', 'document-server/file-signatures', 'document-server/commands', 'document-server/formats', 'outbound', 'store/spool', 'store/thinning'],
  history: ['services', 'save', 'sessions', 'document-server/document-key', 'security', 'store/call-options'],
  sessions: ['services', 'document-server/commands', 'document-server/document-key'],
  'document-server': ['options', 'diagnostics', 'outbound', 'security'],
  blank: ['document-server/formats', 'document-server/file-signatures', 'document-server/content-check'],
  outbound: ['options', 'security/public-ip'],
  security: [],
  store: ['document-server/formats', 'security/names'],
  'http-client': ['security/public-ip'],
  options: ['control/defaults', 'http-client/undici-client', 'security/weak-secret'],
  diagnostics: [],
  conformance: [],
  util: [],
  browser: [],
  errors: []
}

const common = ['formats', 'json', 'url', 'version']
const protocol = (...parts) => [...common, 'editing', 'documents', 'protocol/parts', ...parts.map(part => `protocol/${part}`)]

const emulator = {
  index: ['connect', 'create', 'protocol/clock'],
  connect: [...common, 'protocol/clock', 'protocol/tokens'],
  cli: [...common, 'check', 'create', 'protocol/clock'],
  check: [...common, 'create', 'editing', 'protocol/clock', 'protocol/outbound/callbacks', 'protocol/tokens'],
  create: [...common, 'options', 'documents/converter', 'page/page', 'protocol'],
  editing: ['documents'],
  page: [...common, 'editing', 'documents', 'text'],
  'protocol/parts': [...common, 'documents', 'protocol'],
  'protocol/editing': protocol('allowed-hosts', 'outbound', 'result-files', 'sessions', 'tokens'),
  'protocol/lifecycle': protocol('sessions'),
  'protocol/remote-control': protocol('allowed-hosts'),
  'protocol/status-page': protocol('outbound', 'sessions'),
  'protocol/commands': protocol('sessions', 'tokens'),
  'protocol/conversions': protocol('clock', 'faults', 'outbound', 'result-files', 'tokens'),
  'protocol/document-builder': protocol('clock', 'conversions', 'faults', 'outbound', 'result-files', 'tokens'),
  'protocol/meta': common,
  'protocol/sessions': protocol('clock', 'faults', 'outbound', 'result-files', 'tokens', 'waiting-queue'),
  'protocol/waiting-queue': [],
  'protocol/outbound': protocol('clock', 'tokens'),
  'protocol/request-log': common,
  'protocol/faults': protocol('clock'),
  'protocol/tokens': protocol('clock'),
  'protocol/result-files': protocol('clock'),
  'protocol/allowed-hosts': common,
  'protocol/clock': [],
  documents: [...common, 'text'],
  text: [],
  options: [],
  formats: [],
  json: [],
  url: [],
  version: [],
  errors: []
}

// What is needed before there is a document. Everything else that reads one is loaded for the first one.
const ALWAYS_LOADED = 'converter/(convert|libre-office)|images/render|office/(protected/|zip)|plain-source|types|unreadable'

// Packages and modules of Node.js that only these parts may import. Every part may import the others.
const restricted = {
  undici: ['lib/http-client', 'emulator/lib/protocol/outbound'],
  'fast-jwt': ['lib/document-server/token'],
  '@aws-sdk': ['lib/store/s3/object-store', 'lib/store/s3/s3-storage'],
  pg: [],
  '@fastify/static': ['lib/handler/assets', 'emulator/lib/page'],
  '@fastify/websocket': ['emulator/lib/page'],
  '@xmldom/xmldom': ['emulator/lib/documents'],
  numfmt: ['emulator/lib/documents'],
  typebox: ['lib/.+\\.schema'],
  pdfkit: ['emulator/lib/documents/converter'],
  'node:fs': ['lib/blank/blank-document', 'lib/cli', 'lib/store/files', 'lib/store/spool', 'lib/handler/assets', 'lib/control/page', 'emulator/lib/documents/converter', 'emulator/lib/documents/empty', 'emulator/lib/cli', 'emulator/lib/page/routes', 'emulator/lib/version'],
  'node:child_process': ['emulator/lib/documents/converter'],
  'node:net': ['lib/http-client', 'lib/security/public-ip', 'lib/conformance', 'emulator/lib'],
  'node:http': ['lib/conformance', 'lib/handler/request', 'emulator/lib'], // the first only tells responses from other streams, the second only names statuses
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
    { path: `^${folder}lib/`, pathNot: matching(`${folder}lib/`, [part, 'errors', 'store/contract', 'util', ...imports]) }
  )),
  forbid(`${folder}types`, { path: `^${folder}types/` }, { path: `^${folder}lib/` })
]

export default {
  forbidden: [
    ...partsOf('', plugin),
    ...partsOf('emulator/', emulator),
    forbid('plugin without emulator', { path: '^(lib|types)/' }, { path: '(^|/)(onlyoffice-)?emulator(/|$)' }),
    forbid('emulator without plugin', { path: '^emulator/' }, { path: '^(lib|types|dist)/|(^|/)fastify-onlyoffice(/|$)' }),
    forbid('browser without anything else', { path: '^lib/browser/' }, { pathNot: '^lib/browser/', dependencyTypesNot: ['type-only'] }),
    forbid(
      'page of the emulator',
      { path: '^emulator/lib/(page/browser|text)/' },
      { pathNot: '^emulator/lib/(page/browser|text)/|(^|node_modules/)prosemirror-' }
    ),
    forbid(
      'check only when it is needed',
      { path: '^emulator/lib/', pathNot: '^emulator/lib/(check/|cli/check\\.)' },
      { path: '^emulator/lib/check/', dependencyTypesNot: ['type-only'] }
    ),
    forbid('page only when it is needed', { path: '^emulator/lib/create' }, { path: '^emulator/lib/page/', dynamic: false }),
    forbid(
      'documents only when they are needed',
      { path: '^emulator/lib/(protocol|page|create)' },
      { path: '^emulator/lib/documents/', pathNot: `/documents/(${ALWAYS_LOADED})`, dynamic: false, dependencyTypesNot: ['type-only'] }
    ),
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
