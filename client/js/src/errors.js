/** The errors of the SDK: what was wrong and the cure, never an answer. */
export class HushpollError extends Error {
  get name() {
    return this.constructor.name;
  }
}
/** A key, address, epsilon or name that cannot be one. */
export class InvalidValue extends HushpollError {}
/** A manifest that a careful client must not use. */
export class ManifestRefused extends HushpollError {}
/** A platform that lacks what privacy needs. */
export class Unsupported extends HushpollError {}
/** Above all errors that follow. */
export class ClientError extends HushpollError {}
/** Answers that do not fit the survey; nothing was drawn. */
export class AnswerRefused extends ClientError {}
/** A report that must not be sent; nothing was sent. */
export class ReportRefused extends ClientError {}
/** Another report to the survey was made before. */
export class AlreadyAnswered extends ReportRefused {}
/** A survey that costs more than the app allows. */
export class EpsilonCapExceeded extends ClientError {}
/** A state that cannot be read or written; nothing was sent. */
export class StateFailed extends ClientError {}
/** No answer that can be used: try again later. */
export class ServerUnreachable extends ClientError {}
/** The server will not: trying again does not help. */
export class ServerRefused extends ClientError {}

/** Refuse a value unless it fits. @param {unknown} fits @param {string} message @returns {asserts fits} */
export function need(fits, message) {
  if (!fits) throw new InvalidValue(message);
}
