/**
 * Hushpoll for browsers, workers and Node 20 or later: everything public is listed here.
 *
 * @typedef {T.Answers} Answers
 * @typedef {T.ByteSource} ByteSource
 * @typedef {T.Entry} Entry
 * @typedef {T.Options} Options
 * @typedef {T.Receipt} Receipt
 * @typedef {T.State} State
 * @typedef {T.Status} Status
 */
export { Question } from "./choices.js";
export { Client, Survey } from "./client.js";
export { Warner } from "./designs/warner.js";
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
export { Manifest } from "./manifest.js";
export { SecureBytes } from "./randomness.js";
export { Report } from "./report.js";
export { MemoryState } from "./state.js";
export { randomizeStrictly as randomize, verifyStrictly as verify } from "./strict.js";
