/**
 * The errors of apps: what was wrong and the cure, in words for people and in fields for programs.
 *
 * The page has words of its own and does not load these. The rule here: neither words nor fields hold an answer, or any
 * text that came with the answers or from the server.
 */
import { AlreadyAnswered, AnswerRefused, EpsilonCapExceeded, ServerRefused, ServerUnreachable } from "../errors.js";
import { isRefusal, waitOf } from "../http.js";

/** @import { AnswerProblem } from "../types.js" */

const PROBLEM = /^urn:hushpoll:problem:[a-z-]{1,64}$/;

/** @param {readonly AnswerProblem[]} problems all that is wrong */
export function answersRefused(problems) {
  const message = problems.map((problem) => problem.message).join("; ");
  return Object.assign(new AnswerRefused(message), { problems: Object.freeze(problems) });
}

/** @param {string} survey */
export function alreadyAnswered(survey) {
  const message = `this state holds another report to the survey ${survey}: a device draws once for each survey`;
  return Object.assign(new AlreadyAnswered(`${message}; use a separate state for each respondent`), { survey });
}

/**
 * @param {string} survey @param {string} option that sets the cap @param {{ toString(): string }} epsilon
 * @param {{ toString(): string }} cap @param {string} [what] costs it
 */
export function tooMuch(survey, option, epsilon, cap, what = "the cost") {
  const message = `with the survey ${survey} ${what} would be epsilon ${epsilon}, above ${option} (${cap})`;
  const fields = { survey, option, epsilon: `${epsilon}`, cap: `${cap}` };
  return Object.assign(new EpsilonCapExceeded(`${message}: leave it out, or raise the limit if you must`), fields);
}

/** @param {string} url of the server @param {unknown} cause */
export function noAnswer(url, cause) {
  const message = `no answer from ${new URL(url).host} that can be read: check the address and the network, or try later`;
  return Object.assign(new ServerUnreachable(message, { cause }), { status: null, retryAfter: null });
}

/** @param {string} survey @param {Response} response @param {Uint8Array} body */
export function notProvided(survey, { status, headers }, body) {
  const message = `the server does not provide the survey ${survey} (status ${status})`;
  const retryAfter = waitOf(headers) || null;
  const isFinal = isRefusal(status);
  if (!isFinal) return Object.assign(new ServerUnreachable(`${message}: try again later`), { status, retryAfter });
  const error = new ServerRefused(`${message}: check its name and the server's address`);
  return Object.assign(error, { survey, status, problem: problemOf(body) });
}

/** Return the type of the problem, never the server's own text. @param {Uint8Array} body */
function problemOf(body) {
  try {
    const { type } = JSON.parse(new TextDecoder().decode(body));
    return PROBLEM.test(type) ? String(type) : null;
  } catch {
    return null;
  }
}
