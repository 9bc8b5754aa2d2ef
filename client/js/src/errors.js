/** The errors of the SDK: what was wrong and the cure, never an answer. The README draws their tree. */
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
export class ReportRefused extends ClientError {}
export class AlreadyAnswered extends ReportRefused {}
export class EpsilonCapExceeded extends ClientError {}
export class StateFailed extends ClientError {}
export class ServerUnreachable extends ClientError {}
export class ServerRefused extends ClientError {}

/** @type {import("./types.js").Need} */
export function need(fits, message) {
  if (!fits) throw new InvalidValue(message);
}
