/** The signed manifest: one that exists is valid, its epsilons recomputed, its spelling the only one. */
import { Epsilon, InvalidValue, isObject, ManifestRefused, need, parse, Unsupported } from "./core.js";
import { Warner } from "./warner.js";

export const LARGEST_ENVELOPE = 2_000_000;
const KEYS = "format,survey,title,consent,population,opens,closes,epsilon,questions";
// \x1c-\x1f are white space to Python.
const TEXT = /^(?=.*[^\p{White_Space}\x1c-\x1f])\P{Surrogate}{1,10000}$/su;

export class Question {
  /** @param {unknown} fields */
  constructor(fields) {
    const { id, text, type, mechanism } = checkKeys(fields, "id,text,type,mechanism");
    need(type === "yes_no", "a question's type is unknown: update Hushpoll");
    this.id = checkName(id);
    this.text = checkText(text);
    this.type = type;
    this.design = Warner.read(mechanism);
    Object.freeze(this);
  }
}

export class Manifest {
  /** @param {unknown} fields @param {string} id */
  constructor(fields, id) {
    const { format, survey, title, consent, population, opens, closes, epsilon, questions } = checkKeys(fields, KEYS);
    need(format === "hushpoll-manifest-1", "its format is unknown: update Hushpoll");
    this.id = id;
    this.survey = checkName(survey);
    this.title = checkText(title);
    this.consent = checkText(consent);
    const isCount = Number.isInteger(population) && population > 0 && population <= 1e10;
    need(population === null || isCount, "a population is a whole number");
    this.population = /** @type {number | null} */ (population);
    this.opens = checkTime(opens);
    this.closes = checkTime(closes);
    need(!this.opens || !this.closes || this.opens < this.closes, "it closes before it opens");
    this.questions = readQuestions(questions);
    this.epsilon = this.questions.reduce((sum, { design }) => sum.plus(design.epsilon), new Epsilon(0n));
    need(!this.epsilon.exceeds(Epsilon.parse(epsilon)), "its epsilon is too small");
    Object.freeze(this);
  }
}

/** @type {T.Verify} */
export async function verify(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  try {
    need(envelope.length <= LARGEST_ENVELOPE, "it is too large");
    const fields = parse(envelope);
    need(isObject(fields) && Object.keys(fields).length === 3, "its envelope is not valid");
    const key = checkKey(fields.key);
    need(key === (pinnedKey ?? key), "another key than the pinned one signed it");
    const payload = fromBase64url(fields.payload);
    const isSigned = await isSignature(fromBase64url(fields.signature), payload, fromBase64url(key.slice(8)));
    need(isSigned, "it was changed after signing");
    return await read(payload);
  } catch (error) {
    throw error instanceof InvalidValue ? new ManifestRefused(`the manifest is refused: ${error.message}`) : error;
  }
}

/** @param {Uint8Array<ArrayBuffer>} payload */
async function read(payload) {
  need(payload.length <= 1_000_000, "it is too large");
  const fields = parse(payload);
  const manifest = new Manifest(fields, toHex(await crypto.subtle.digest("SHA-256", payload)));
  const spelling = new TextEncoder().encode(JSON.stringify(fields));
  need(String(spelling) === String(payload), "its spelling is not compact");
  return manifest;
}

/** @type {T.IsSignature} */
async function isSignature(signature, payload, key) {
  try {
    const signed = await new Blob(["hushpoll manifest 1\n", payload]).arrayBuffer();
    const publicKey = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", publicKey, signature, signed);
  } catch (error) {
    // Outside a secure context there is no `subtle`.
    const isMissing = !crypto.subtle || Object(error).name === "NotSupportedError";
    if (isMissing) throw new Unsupported("this browser cannot check signatures: use https, or update it");
    return false;
  }
}

/** @param {unknown} list */
function readQuestions(list) {
  need(Array.isArray(list) && list.length > 0 && list.length <= 200, "a survey needs 1 to 200 questions");
  const questions = list.map((fields) => new Question(fields));
  need(new Set(questions.map(({ id }) => id)).size === list.length, "two questions have the same id");
  return Object.freeze(questions);
}

/** @type {T.CheckKeys} */
function checkKeys(fields, keys) {
  need(isObject(fields) && String(Object.keys(fields)) === keys, `it must have exactly ${keys}`);
  return fields;
}

/** @type {T.Check} */
function check(value, pattern, message) {
  need(typeof value === "string" && pattern.test(value), message);
  return value;
}

/** @param {unknown} value */
export function checkKey(value) {
  return check(value, /^ed25519:[\w-]{43}$/, "a key must be written as ed25519: and 43 characters");
}

/** @param {unknown} value */
export function checkName(value) {
  return check(value, /^[a-z][a-z0-9_-]{0,63}$/, "a name has 1 to 64 of a-z, 0-9, _ and -");
}

/** @param {unknown} value */
function checkText(value) {
  return check(value, TEXT, "a text has 1 to 10000 characters");
}

/** @param {unknown} value */
function checkTime(value) {
  if (value === null) return value;
  const message = "a time is written as 2026-11-16T09:00:00Z";
  const text = check(value, /^(?!0000)\d{4}-/, message);
  // JavaScript reads 30 February as 2 March.
  need(new Date(text).toJSON() === text.replace("Z", ".000Z"), message);
  return text;
}

/** @param {unknown} value */
function fromBase64url(value) {
  const message = "it is not base64url";
  const text = check(value, /^[\w-]*$/, message);
  need(text.length % 4 !== 1, message);
  const standard = text.replace(/-/g, "+").replace(/_/g, "/");
  const binary = atob(standard);
  need(btoa(binary).startsWith(standard), message);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @type {T.ToHex} */
export function toHex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => (byte + 256).toString(16).slice(1)).join("");
}
