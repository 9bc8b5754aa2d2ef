/**
 * Hushpoll for browsers, workers and Node 20 or later: everything public is listed here.
 *
 * @typedef {import("./types.js").Answers} Answers
 * @typedef {import("./types.js").ByteSource} ByteSource
 * @typedef {import("./types.js").Entry} Entry
 * @typedef {import("./types.js").Options} Options
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").Status} Status
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
export { Manifest } from "./manifest.js";
export { Question } from "./question_types/question.js";
export { SecureBytes } from "./randomness.js";
export { Report } from "./report.js";
export { MemoryState } from "./state.js";
export { randomizeStrictly as randomize } from "./strict/randomize.js";
export { verifyStrictly as verify } from "./strict/verify.js";
