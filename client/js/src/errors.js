/** Every error that this package throws itself. No message repeats an answer. */

export class HushpollError extends Error {
  get name() {
    return this.constructor.name;
  }
}
export class InvalidValue extends HushpollError {}
export class ManifestRefused extends HushpollError {}
export class Unsupported extends HushpollError {}
export class ClientError extends HushpollError {}
export class AnswerRefused extends ClientError {}
export class SurveyNotOpen extends ClientError {}
export class ReportRefused extends ClientError {}
export class AlreadyAnswered extends ReportRefused {}
export class EpsilonCapExceeded extends ClientError {}
export class StateFailed extends ClientError {}
export class ServerUnreachable extends ClientError {}
export class ServerRefused extends ClientError {}

/** Refuse a value unless it fits. @param {unknown} fits @param {string} [message] @returns {asserts fits} */
export function need(fits, message = "a question is not sound") {
  if (!fits) throw new InvalidValue(message);
}
