/**
 * Hushpoll for browsers, workers and Node 20 or later: everything public is listed here.
 */
export { Client, Survey } from "./client.js";
export { Epsilon } from "./epsilon.js";
export {
  AlreadyAnswered,
  AnswerRefused,
  ClientError,
  EpsilonCapExceeded,
  HushpollError,
  InvalidValue,
  ManifestRefused,
  ReportRefused,
  ServerRefused,
  ServerUnreachable,
  StateFailed,
  Unsupported,
} from "./errors.js";
export { IndexedDBState } from "./indexeddb.js";
export { Manifest, Question, verify } from "./manifest.js";
export { SecureBytes } from "./randomness.js";
export { Report, randomize } from "./report.js";
export { MemoryState } from "./state.js";
export { Warner } from "./warner.js";
