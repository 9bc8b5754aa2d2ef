/** Every error that this package throws itself: what was wrong and the cure, for people and, as fields, for programs. */

/** `cause` is the error of the platform, if there was one. Neither it nor any message holds an answer. */
export declare class HushpollError extends Error {
  constructor(message?: string, options?: ErrorOptions);
}
/** A key, address, epsilon or name that is not valid. */
export declare class InvalidValue extends HushpollError {}
/** A manifest that a careful client must not use. */
export declare class ManifestRefused extends HushpollError {}
/** The browser or runtime lacks what privacy needs. */
export declare class Unsupported extends HushpollError {}
export declare class ClientError extends HushpollError {}
/** One thing that is wrong with a set of answers, without any of them. */
export interface AnswerProblem {
  /** The id under which the question is answered; null if the answers as a whole are wrong. */
  readonly question: string | null;
  readonly message: string;
  /** What can be answered or ticked: ids of options, points of a scale, extras. Empty where that is a range. */
  readonly allowed: readonly unknown[];
}
/** Answers that do not fit the survey, with all that is wrong with them; nothing was drawn. */
export declare class AnswerRefused extends ClientError {
  readonly problems: readonly AnswerProblem[];
}
/** The times that the manifest states, and the type of the problem that the server would name. */
export interface Closure {
  readonly survey: string;
  readonly problem: string;
  readonly opens: string | null;
  readonly closes: string | null;
}
/** A survey that has not opened yet or is closed; nothing was charged. */
export declare class SurveyNotOpen extends ClientError implements Closure {
  readonly survey: string;
  readonly problem: string;
  readonly opens: string | null;
  readonly closes: string | null;
}
/** A report that this client must not send; nothing was sent. */
export declare class ReportRefused extends ClientError {
  readonly survey: string | null;
}
/** This state already holds another report to the survey. */
export declare class AlreadyAnswered extends ReportRefused {}
/** What would be spent, the most that may be, both as decimal texts, and the option of the client that says so. */
export interface OverCap {
  readonly survey: string;
  readonly epsilon: string;
  readonly cap: string;
  readonly option: "maxEpsilon" | "maxTotalEpsilon" | "maxPanelEpsilon";
}
/** The survey would cost more than the app allows. */
export declare class EpsilonCapExceeded extends ClientError implements OverCap {
  readonly survey: string;
  readonly epsilon: string;
  readonly cap: string;
  readonly option: OverCap["option"];
}
/** The state cannot be read or written; nothing was sent. */
export declare class StateFailed extends ClientError {}
/** No response, or none that can be used: try again later. */
export declare class ServerUnreachable extends ClientError {
  /** That of the response; null without one. */
  readonly status: number | null;
  /** The seconds for which the server asked to be left alone, if it did. */
  readonly retryAfter: number | null;
}
/** What a server refused, and the type of the reason; null if it named none of the closed list. */
export interface Refusal {
  readonly survey: string;
  readonly status: number;
  readonly problem: string | null;
}
/** The server refused: trying again does not help. */
export declare class ServerRefused extends ClientError implements Refusal {
  readonly survey: string;
  readonly status: number;
  readonly problem: string | null;
}
