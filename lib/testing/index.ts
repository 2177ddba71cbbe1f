export { createDocumentServer } from './document-server/create.js'
export type { DocumentServerError } from './document-server/errors.js'
export type {
  DocumentServer,
  DocumentServerMembers,
  DocumentServerOptions,
  EditorConfig,
  HostRequest,
  ReceivedRequest,
  UserConfig
} from './document-server/types.js'
export type { Clock } from './document-server/clock.js'
export { fakeClock } from './document-server/fake-clock.js'
export type { FakeClock, FakeClockOptions } from './document-server/fake-clock.js'
export type { AnswerFault, CallbackFault, FaultOptions, Faults, OtherOrigin } from './document-server/faults/types.js'
export type {
  CallbackResult,
  EditorEvent,
  EditorUser,
  EventOf,
  ForceSaveOptions,
  MailMerge,
  Session
} from './document-server/sessions/types.js'
export { httpClientConformance } from './http-client-conformance.js'
export type { HttpClientConformanceOptions } from './http-client-conformance.js'
export { storageConformance } from './storage-conformance.js'
export type { ConformanceSubject, StorageConformanceOptions } from './storage-conformance.js'
