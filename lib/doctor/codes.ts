/** What the doctor can report, with the title of each finding. A check that finds nothing wrong has the code of its group. */
export const codes = {
  OPTIONS: 'Options',
  PROFILE_CLASSIC: 'The profile classic checks nothing',
  TLS_NOT_VERIFIED: 'Certificates are not verified',
  BODY_LIMIT_OPTION: 'bodyLimit is too small for large callbacks',
  WEAK_SECRET: 'The secret is weak',
  PUBLIC_URL_LOCAL: 'publicBaseUrl is local, the document server is not',
  MIXED_CONTENT: 'https pages cannot load api.js over http',

  SERVER: 'The document server',
  SERVER_REFUSED: 'The document server refuses connections',
  SERVER_NAME: 'The host name of the document server is unknown',
  SERVER_TIMEOUT: 'The document server does not answer',
  SERVER_TLS_SELF_SIGNED: 'The document server has a self-signed certificate',
  SERVER_TLS_EXPIRED: 'The certificate of the document server is out of date',
  SERVER_TLS_HOST: 'The certificate of the document server is for another host',
  SERVER_TLS_CHAIN: 'The certificate chain of the document server is incomplete or unknown',
  SERVER_TLS: 'No TLS connection to the document server',
  SERVER_UNREACHABLE: 'The document server cannot be reached',
  SERVER_REDIRECT: 'The URL of the document server is redirected',
  SERVER_UNHEALTHY: 'The document server says that it does not work',
  SERVER_OTHER: 'Something else answers in the document server\'s place',

  API_SCRIPT: 'The script of the editor, api.js',
  API_PATH: 'editorApiUrl has not the path of api.js',
  API_MISSING: 'There is no api.js at editorApiUrl',
  API_REDIRECT: 'editorApiUrl is redirected',
  API_NOT_SCRIPT: 'Something other than api.js is at editorApiUrl',

  TOKENS_IN: 'Tokens that the document server receives',
  SECRET_INBOX: 'The document server rejects our tokens',
  TOKENS_INBOX_OFF: 'The document server accepts requests without a token',
  TOKENS_BROWSER_OFF: 'The document server lets in editors without a token',
  COMMANDS_FAILED: 'The command service of the document server does not work',

  VERSION: 'Version of the document server',
  VERSION_ADVISORIES: 'The document server has known vulnerabilities',
  VERSION_OLD: 'The document server is old',
  VERSION_NEW: 'The document server is newer than what this release knows',

  DOWNLOAD: 'The document server downloads a document from this application',
  DOWNLOAD_UNREACHABLE: 'The document server cannot download from publicBaseUrl',
  DOWNLOAD_REPLACED: 'The document server gets something else instead of our documents',
  CONVERSION_FAILED: 'The document server cannot convert documents',
  CONVERSION_TIMEOUT: 'The document server does not finish a conversion',

  TOKENS_OUT: 'Tokens that the document server sends',
  SECRET_OUTBOX: 'The document server signs with another secret',
  TOKENS_OUTBOX_OFF: 'The document server sends no tokens',
  TOKEN_HEADER: 'The document server sends its token in another header',
  TOKEN_ALGORITHM: 'The document server signs with another algorithm',
  TOKEN_ENDLESS: 'The tokens of the document server do not expire',

  CLOCK: 'Clocks',
  CLOCK_SKEW: 'The clocks of application and document server differ',

  RESULT: 'Files of the document server',
  RESULT_ORIGIN: 'The document server announces its files at another origin',
  RESULT_FETCH: 'A file of the document server cannot be fetched',

  FROM_FILE: 'How content that is converted reaches the document server',
  FROM_FILE_FAILED: 'The document server does not convert a file in a request',

  CALLBACK: 'Our handler at publicBaseUrl',
  LOGIN_HOOK: 'Hooks of the application answer before the handler',
  CSRF_HOOK: 'A CSRF check of the application refuses callbacks',
  RATE_LIMIT_HOOK: 'A rate limiter of the application refuses the document server',
  OVERLOAD_HOOK: 'The application refuses requests because of its load',
  ANSWER_CHANGED: 'The answers of our handler are changed',
  PUBLIC_URL_LOGIN: 'A login is required at publicBaseUrl',
  PUBLIC_URL_REDIRECT: 'publicBaseUrl is redirected',
  PUBLIC_URL_NOT_OURS: 'publicBaseUrl does not lead to our handler',
  PUBLIC_URL_QUERY: 'The query of our URLs is changed on its way',
  CALLBACK_BODY_LIMIT: 'Large callbacks are refused on their way',
  INSTANCE_DIFFERS: 'Another instance does not accept our URLs',

  STORAGE: 'Storage',
  STORAGE_FAILED: 'The storage does not work',
  STORAGE_NO_STATE: 'The storage keeps no records',
  INSTANCES_WITHOUT_STATE: 'Several instances, but no shared records'
} as const

export type DoctorCode = keyof typeof codes
