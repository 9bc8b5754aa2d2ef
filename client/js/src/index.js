/** Hushpoll for browsers, workers and Node 20 or later: everything public is listed here, and declared in types/. */
export { Client } from "./client.js";
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
  SurveyNotOpen,
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
export { Survey } from "./survey.js";
