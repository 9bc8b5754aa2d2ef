/**
 * The signed manifest: all that a client needs to randomize, fixed at publication.
 *
 * A `Manifest` that exists is valid. Every epsilon is recomputed from the integers. The bytes have one spelling only,
 * so that no two readers understand them differently. They are signed with Ed25519 behind a fixed prefix.
 */
import { Epsilon } from "./epsilon.js";
import { InvalidValue, ManifestRefused, need, Unsupported } from "./errors.js";
import { isObject, parse } from "./json.js";
import { Warner } from "./warner.js";

/** @import * as T from "./types.js" */

const KEYS = "format,survey,title,consent,population,opens,closes,epsilon,questions";
export const LARGEST_ENVELOPE = 2_000_000;
// What Python's str.strip leaves over: the two languages differ on these characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are white space to Python
const VISIBLE = /[^\s\u001c-\u001f\u0085]|\ufeff/;

/** A private question with its design. */
export class Question {
  /** @param {unknown} fields */
  constructor(fields) {
    const { id, text, type, mechanism } = checkKeys(fields, "id,text,type,mechanism");
    need(type === "yes_no", "a question is of an unknown type: update Hushpoll");
    this.id = checkName(id, "a question's id");
    this.text = checkText(text, "a question's text");
    this.type = type;
    this.design = Warner.read(mechanism);
    Object.freeze(this);
  }
}

/** A survey as it was published. */
export class Manifest {
  /** @param {unknown} fields @param {string} id the SHA-256 of the payload, in hexadecimal */
  constructor(fields, id) {
    const { format, survey, title, consent, population, opens, closes, epsilon, questions } = checkKeys(fields, KEYS);
    need(format === "hushpoll-manifest-1", "its format is unknown: update Hushpoll");
    this.id = id;
    this.survey = checkName(survey, "a survey's name");
    this.title = checkText(title, "the title");
    this.consent = checkText(consent, "the consent text");
    this.population = checkPopulation(population);
    this.opens = checkTime(opens);
    this.closes = checkTime(closes);
    // Times in this notation have the order of their letters.
    need(!this.opens || !this.closes || this.opens < this.closes, "the survey closes before it opens");
    this.questions = readQuestions(questions);
    /** What one respondent spends on the whole survey. */
    this.epsilon = this.questions.reduce((sum, { design }) => sum.plus(design.epsilon), new Epsilon(0n));
    const isHonest = !this.epsilon.exceeds(Epsilon.parse(epsilon));
    need(isHonest, "it claims a smaller total epsilon than its questions give");
    Object.freeze(this);
  }
}

/**
 * Give the manifest of an envelope that is signed by the pinned key.
 *
 * With null, by the key that it names itself: that proves only that nothing was changed after signing.
 * @type {T.Verify}
 */
export async function verify(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  try {
    need(envelope.length <= LARGEST_ENVELOPE, "its envelope is too large");
    const fields = parse(envelope);
    need(isObject(fields) && Object.keys(fields).length === 3, "its envelope has not exactly three texts");
    const key = checkKey(fields.key);
    need(key === (pinnedKey ?? key), "it is signed by another key than the pinned one: ask the publisher");
    const payload = fromBase64url(fields.payload);
    const isSigned = await isSignature(fromBase64url(fields.signature), payload, key);
    need(isSigned, "its signature does not fit: it was changed after signing");
    return await read(payload);
  } catch (error) {
    throw error instanceof InvalidValue ? new ManifestRefused(`the manifest is refused: ${error.message}`) : error;
  }
}

/** @param {Uint8Array<ArrayBuffer>} payload */
async function read(payload) {
  need(payload.length <= 1_000_000, "it is too large");
  const fields = parse(payload);
  const hash = await crypto.subtle.digest("SHA-256", payload);
  const manifest = new Manifest(fields, toHex(new Uint8Array(hash)));
  const spelling = new TextEncoder().encode(JSON.stringify(fields));
  need(String(spelling) === String(payload), "it is not written in the one compact spelling");
  return manifest;
}

/** @type {T.Check} */
export function checkKey(key) {
  const fits = typeof key === "string" && /^ed25519:[\w-]{43}$/.test(key);
  need(fits, "a key must be written as ed25519: followed by 43 characters");
  return key;
}

/** @type {T.Check} */
export function checkName(value, what) {
  const fits = typeof value === "string" && /^[a-z][a-z0-9_-]{0,63}$/.test(value);
  need(fits, `${what} must be 1 to 64 of a–z, 0–9, _ and -, starting with a letter`);
  return value;
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/** @type {T.CheckKeys} */
function checkKeys(fields, keys) {
  need(isObject(fields) && String(Object.keys(fields)) === keys, `it must have exactly ${keys}, in this order`);
  return fields;
}

/** @param {unknown} list */
function readQuestions(list) {
  need(Array.isArray(list) && list.length > 0 && list.length <= 200, "a survey needs 1 to 200 questions");
  const questions = list.map((fields) => new Question(fields));
  need(new Set(questions.map(({ id }) => id)).size === list.length, "two questions have the same id");
  return Object.freeze(questions);
}

/** @type {T.Check} */
function checkText(value, what) {
  const fits = typeof value === "string" && VISIBLE.test(value) && !/\p{Surrogate}/u.test(value);
  need(fits && [...value].length <= 10_000, `${what} must be a text of 1 to 10000 whole characters`);
  return value;
}

/** @param {unknown} value */
function checkPopulation(value) {
  const fits = value === null || (typeof value === "number" && value % 1 === 0 && value > 0 && value <= 1e10);
  need(fits, "population must be null or a whole number from 1 to 10^10");
  return value;
}

/** @param {unknown} value */
function checkTime(value) {
  if (value === null) return value;
  const fits = typeof value === "string" && /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
  // JavaScript reads 30 February as 2 March: what was read must write back to the same text.
  const exists = fits && new Date(Date.parse(value) || 0).toISOString() === value.replace("Z", ".000Z");
  need(exists, "a time must exist and be written in UTC as 2026-11-16T09:00:00Z");
  return value;
}

/** @type {T.IsSignature} */
async function isSignature(signature, payload, key) {
  const raw = fromBase64url(key.slice(8));
  const signed = await new Blob(["hushpoll manifest 1\n", payload]).arrayBuffer();
  try {
    const publicKey = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", publicKey, signature, signed);
  } catch (error) {
    // Without a secure context there is no `subtle` at all.
    const isMissing = !crypto.subtle || (error instanceof DOMException && error.name === "NotSupportedError");
    if (isMissing) throw new Unsupported("this browser cannot check Ed25519 signatures: update it, and use https");
    return false;
  }
}

/** @param {unknown} text */
function fromBase64url(text) {
  const fits = typeof text === "string" && /^[\w-]*$/.test(text) && text.length % 4 !== 1;
  const standard = fits ? text.replace(/-/g, "+").replace(/_/g, "/") : "";
  const binary = atob(standard);
  need(fits && btoa(binary).startsWith(standard), "it is not in base64url, in its one spelling without padding");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
