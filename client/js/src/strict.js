/**
 * Manifests and answers as apps must have them: what core modules leave to the signature is checked here, too.
 *
 * A page trusts the publisher's key for the spelling of a manifest and checks what privacy rests on. An app wants all
 * readers to read the same, whatever the language of their program: one spelling, no key twice, nothing unknown. So the
 * SDK and Node examine a payload before `manifest.js` reads it, and freeze what it made.
 */
import { Epsilon } from "./epsilon.js";
import { AnswerRefused, InvalidValue, ManifestRefused, need, Unsupported } from "./errors.js";
import { verify } from "./manifest.js";
import { randomize } from "./report.js";
import { examinePayload } from "./strict_manifest.js";
import { check, EPSILON, parse } from "./strict_values.js";

export const LARGEST_ENVELOPE = 6e6;

/** @import { ByteSource, ChargeOf, Manifest, Question, Recall } from "./types.js" */

/**
 * Give the manifest of an envelope that is signed by the pinned key, spelled as all readers spell it, and frozen.
 *
 * With null, by the key that it names itself: that proves only that nothing was changed after signing.
 * @param {string | Uint8Array} envelope @param {string | null} pinnedKey
 * @returns {Promise<Manifest>}
 */
export async function verifyStrictly(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  // Outside a secure context there is no `subtle`.
  if (!globalThis.crypto?.subtle) throw new Unsupported("this browser cannot check signatures here: use https");
  const { key, text } = readEnvelope(envelope);
  const manifest = await verify(text, pinnedKey ?? key, examinePayload);
  for (const question of manifest.questions) for (const part of partsOf(question)) part.wants = wantsOf(part);
  return freeze(manifest);
}

/**
 * Draw the report to answers of which none is missing and none is unknown.
 *
 * Every call is a new draw: randomize the answers of a respondent once.
 * @param {Manifest} manifest @param {unknown} answers question id → answer
 * @param {ByteSource} [source] @param {Recall} [recall] for surveys with repeated questions
 */
export function randomizeStrictly(manifest, answers, source, recall) {
  const isObject = Object(answers) === answers && !Array.isArray(answers);
  if (!isObject) throw new AnswerRefused("answers must be an object");
  need(manifest.panel === null || recall, "a survey in waves needs the memory of a device: load it with client.survey");
  // Without what every object has: a question may be called "constructor".
  const given = Object.assign(Object.create(null), answers);
  /** @type {string[]} */
  const ids = [];
  for (const question of manifest.questions) {
    for (const part of partsOf(question)) {
      const isAnswer = part.code(given[part.id] ?? "decline") !== undefined;
      if (!isAnswer) throw new AnswerRefused(`the question ${part.id} must be answered with ${part.wants}`);
      ids.push(part.id);
    }
  }
  // The extra name is not repeated: it may hold an answer.
  const isKnown = Object.keys(given).every((id) => ids.includes(id));
  if (!isKnown) throw new AnswerRefused(`only these questions are asked: ${ids.join(", ")}`);
  return Object.freeze(randomize(manifest, given, source, recall, chargeOf));
}

/** A remembered draw is paid for once. @type {ChargeOf} */
function chargeOf(costs, entries) {
  const paid = entries.flatMap(({ memos = [] }) => memos);
  const due = costs.filter(({ tag = "" }) => !paid.includes(tag));
  const total = due.reduce((sum, { epsilon }) => sum.plus(epsilon), new Epsilon(0n));
  const memos = due.flatMap(({ tag }) => tag ?? []);
  return { epsilon: `${total}`, ...(memos.length && { memos }) };
}

/** Read a limit that an app sets: a whole number, or a text. @param {unknown} value @param {string} what */
export function readEpsilon(value, what) {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  const message = `${what} must be a number such as 2, "0.75" or "3/4"`;
  return Epsilon.parse(check(text, EPSILON, message));
}

/** @param {unknown} value */
export function checkKey(value) {
  return check(value, /^ed25519:[\w-]{43}$/, "a key must be written as ed25519: and 43 characters");
}

/** @param {string | Uint8Array} envelope */
function readEnvelope(envelope) {
  try {
    need(envelope.length <= LARGEST_ENVELOPE, "it is too large");
    const fields = Object(parse(envelope));
    need(Object.keys(fields).length === 3, "its envelope is not valid");
    for (const text of [fields.payload, fields.signature]) checkBase64url(text);
    const text = typeof envelope === "string" ? envelope : new TextDecoder().decode(envelope);
    return { key: checkKey(fields.key), text };
  } catch (error) {
    throw error instanceof InvalidValue ? new ManifestRefused(`the manifest is refused: ${error.message}`) : error;
  }
}

/** @param {unknown} value */
function checkBase64url(value) {
  const message = "it is not base64url";
  const text = check(value, /^[\w-]*$/, message);
  need(text.length % 4 !== 1, message);
  const standard = text.replace(/-/g, "+").replace(/_/g, "/");
  need(btoa(atob(standard)).startsWith(standard), message);
}

/** @param {Question} question */
function partsOf(question) {
  return question.parts ?? [question];
}

/** Say what an app must answer with. @param {Question} question */
function wantsOf({ type, min, max, most, extras }) {
  const answers = {
    yes_no: "true or false",
    single_choice: "the id of an option",
    multi_choice: `a list of ${most ? `at most ${most} ` : ""}ids of options, each once`,
    scale: `a whole number from ${min} to ${max}`,
  };
  const others = extras.map((extra) => (extra === "decline" ? "null" : `"${extra}"`));
  return [Object(answers)[type] ?? "a number", ...others].join(", or ");
}

/** Freeze a value and all that it holds. @template V @param {V} value @returns {V} */
export function freeze(value) {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(Object(value))) freeze(part);
  return value;
}
