export { connectDocumentServer } from './connect.js'
export { createDocumentServer } from './create.js'
export { fakeClock } from './protocol/clock/fake-clock.js'
export type {
  Browser, BrowserContext, BrowserPage, ConnectedDocumentServer, ConnectedSession, ConnectOptions
} from '../types/connect.js'
export type { Clock, FakeClock, FakeClockOptions } from '../types/clock.js'
export type {
  ConnectionOptions,
  DocumentServer,
  DocumentServerError,
  DocumentServerMembers,
  DocumentServerOptions,
  EditorConfig,
  JwtSecret,
  SeparateSecrets,
  SentRequest,
  ReceivedRequest,
  UserConfig
} from '../types/document-server.js'
export type { AnswerFault, CallbackFault, FaultOptions, Faults, OriginFault as OtherOrigin } from '../types/faults.js'
export type {
  CallbackResult,
  EditorEvent,
  EditorUser,
  EventOf,
  ForceSaveOptions,
  Session
} from '../types/session.js'
