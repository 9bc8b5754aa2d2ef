/**
 * Hushpoll for browsers, workers and Node 20 or later: everything public is listed here.
 */
export { Client, Survey } from "./client.js";
export {
  AlreadyAnswered,
  AnswerRefused,
  ClientError,
  Epsilon,
  EpsilonCapExceeded,
  HushpollError,
  InvalidValue,
  ManifestRefused,
  ReportRefused,
  SecureBytes,
  ServerRefused,
  ServerUnreachable,
  StateFailed,
  Unsupported,
  Warner,
} from "./core.js";
export { Manifest, Question, verify } from "./manifest.js";
export { IndexedDBState, Report, randomize } from "./report.js";
export { MemoryState } from "./state.js";
