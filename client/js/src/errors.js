/**
 * The errors of the SDK, as in the Python SDK. A message says what was wrong and the cure; it never holds an answer.
 *
 *     HushpollError
 *     ├── InvalidValue               a key, address, epsilon or name that cannot be one
 *     ├── ManifestRefused            a manifest that a careful client must not use
 *     ├── Unsupported                the browser or runtime lacks what privacy needs
 *     └── ClientError
 *         ├── AnswerRefused          answers that do not fit the survey; nothing was drawn
 *         ├── ReportRefused          a report that this client must not send; nothing was sent
 *         │   └── AlreadyAnswered    this state already holds another report to the survey
 *         ├── EpsilonCapExceeded     the survey would cost more than the app allows
 *         ├── StateFailed            the state cannot be read or written; nothing was sent
 *         ├── ServerUnreachable      no answer, or none that can be used: try again later
 *         └── ServerRefused          the server answered that it will not: trying again does not help
 */

/** Stands above every error that Hushpoll throws on purpose. */
export class HushpollError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** Says that a value is not of the kind that is needed. */
export class InvalidValue extends HushpollError {}

/** Says why a manifest must not be used. */
export class ManifestRefused extends HushpollError {}

/** Says what the platform lacks. */
export class Unsupported extends HushpollError {}

/** Stands above every error of a client's work. */
export class ClientError extends HushpollError {}

/** Says which question cannot take the answer it was given. */
export class AnswerRefused extends ClientError {}

/** Says why a report must not be sent. */
export class ReportRefused extends ClientError {}

/** Says that another report to the same survey was made before. */
export class AlreadyAnswered extends ReportRefused {}

/** Says that a survey would cost more privacy than is allowed. */
export class EpsilonCapExceeded extends ClientError {}

/** Says why the state cannot be used. */
export class StateFailed extends ClientError {}

/** Says why there is no answer that could be used. */
export class ServerUnreachable extends ClientError {}

/** Says what the server will not do. */
export class ServerRefused extends ClientError {}
