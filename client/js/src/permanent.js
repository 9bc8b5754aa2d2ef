/**
 * Permanent draws of repeated questions: computed from a secret of the device, so no list of answers is stored.
 *
 * The draws of all possible answers are made before an answer is read.
 */
import { fromHex, toHex } from "./encoding.js";
import { SecureBytes } from "./randomness.js";
import { normalForm } from "./texts.js";

/** @import { Manifest } from "./manifest.js" */
/** @import { AskedQuestion, Memo, Memory, Recall, State } from "./types.js" */

/**
 * Derive the memory of a device for a survey. Each publisher gets draws of its own.
 * @param {Manifest} manifest @param {State} state @param {string} publisher the key that signed the manifest
 * @returns {Promise<Recall>}
 */
export async function remember(manifest, state, publisher) {
  const secret = await hmac(await secretOf(state), `hushpoll publisher 1\n${publisher}`);
  const memory = await derive(manifest, (text) => hmac(secret, text));
  return () => memory;
}

/** @param {Uint8Array<ArrayBuffer>} secret @param {string} text */
async function hmac(secret, text) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

/**
 * Return a memory made from the HMACs of texts.
 * @param {Pick<Manifest, "panel" | "questions">} manifest
 * @param {(text: string) => Uint8Array | Promise<Uint8Array>} keyed
 */
export async function derive({ panel, questions }, keyed) {
  /** @type {Memory} */
  const memory = new Map();
  for (const question of questions) memory.set(question.id, await memosOf(question, `${panel}`, keyed));
  return memory;
}

/**
 * @param {AskedQuestion} question @param {string} panel
 * @param {(text: string) => Uint8Array | Promise<Uint8Array>} keyed
 */
async function memosOf(question, panel, keyed) {
  /** @type {Memo[]} */
  const memos = [];
  const { remembered } = question.design;
  const identity = identityOf(question);
  for (let answer = 0; remembered && answer < remembered.size; answer += 1) {
    const place = `${panel}\n${identity}\n${answer}`;
    // Enough bytes: more than two numbers are rejected with probability 2^-168.
    const bytes = [...(await keyed(`hushpoll permanent 1\n${place}\n0`))];
    const source = { take: (/** @type {number} */ count) => Uint8Array.from(bytes.splice(0, count)) };
    const [code] = remembered.drawMembers(source, answer);
    memos.push({ code, tag: toHex(await keyed(`hushpoll memo 1\n${place}`)) });
  }
  return memos;
}

/**
 * Return what makes a repeated question the same in all waves: its spelling as people see it, and its threshold. A
 * difference that cannot be seen does not make another question; ids of options are not seen.
 * @param {Pick<AskedQuestion, "design" | "spelling">} question
 * @returns {string | undefined} nothing if it is not repeated
 */
export function identityOf({ design, spelling }) {
  if (!design.remembered) return undefined;
  const { size, threshold } = design.remembered;
  const seen = JSON.parse(spelling, (key, value) => {
    if (key === "options") return value.map(seenOption);
    return typeof value === "string" ? normalForm(value) : value;
  });
  return `${JSON.stringify(seen)}\n${size}\n${threshold}`;
}

/** @param {string | string[]} option */
function seenOption(option) {
  const [id, text = id] = [option].flat();
  return text;
}

/** Return the secret of the device; make it when it is first needed. @param {State} state */
async function secretOf(state) {
  const { secret } = await state.update((entries) => entries.find((entry) => entry.secret) ?? makeSecret());
  return fromHex(`${secret}`);
}

/** Return an entry that belongs to no publisher, is not a report and is never sent. @returns {any} */
function makeSecret() {
  return { key: "", survey: "", epsilon: "0", body: null, secret: toHex(new SecureBytes().take(32)) };
}
