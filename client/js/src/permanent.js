/**
 * @file Permanent draws of repeated questions: they follow from a secret of the device, so that no list of answers is
 * kept.
 *
 * The draws of all possible answers are made before one is given.
 */
import { SecureBytes, toHex } from "./randomness.js";
import { normalForm } from "./texts.js";

/**
 * Derive the memory of a device for a survey. Each publisher gets draws of its own.
 * @param {T.Manifest} manifest @param {T.State} state @param {string} publisher the key that signed the manifest
 * @returns {Promise<T.Recall>}
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
 * Make a memory of the HMACs of texts.
 * @param {T.Fields} manifest @param {(text: string) => Uint8Array | Promise<Uint8Array>} keyed
 */
export async function derive({ panel, questions }, keyed) {
  /** @type {T.Memory} */
  const memory = new Map();
  for (const question of questions) {
    const { id, design } = question;
    const identity = identityOf(question);
    /** @type {T.Memo[]} */
    const memos = [];
    for (let answer = 0; identity && answer < design.permanent.size; answer += 1) {
      const place = `${panel}\n${identity}\n${answer}`;
      /** @remarks Enough bytes: more than two numbers are thrown away with probability 2^-168. */
      const bytes = [...(await keyed(`hushpoll permanent 1\n${place}\n0`))];
      const source = { take: (/** @type {number} */ count) => Uint8Array.from(bytes.splice(0, count)) };
      const [code] = design.permanent.choose(source, answer);
      memos.push({ code, tag: toHex(await keyed(`hushpoll memo 1\n${place}`)) });
    }
    memory.set(id, memos);
  }
  return memory;
}

/**
 * Give what makes a repeated question the same in all waves: its spelling as people see it, and its threshold. What
 * cannot be seen makes no other question; ids of options are not seen.
 * @param {T.Fields} question @returns {string | undefined} nothing if it is not repeated
 */
export function identityOf({ design, spelling }) {
  if (!design.permanent) return undefined;
  const { size, threshold } = design.permanent;
  const seen = JSON.parse(spelling, (key, value) => {
    if (key === "options") return value.map(textOf);
    return typeof value === "string" ? normalForm(value) : value;
  });
  return `${JSON.stringify(seen)}\n${size}\n${threshold}`;
}

/** @param {string | string[]} option */
function textOf(option) {
  const [id, text = id] = [option].flat();
  return text;
}

/** Give the secret: an entry that belongs to no publisher and is never sent. @param {T.State} state */
async function secretOf(state) {
  /** @type {T.Fields} */
  const { secret } = await state.update((entries) => entries.find((entry) => entry.secret) ?? makeSecret());
  return Uint8Array.from(secret.match(/../g), (/** @type {string} */ byte) => Number(`0x${byte}`));
}

/** @returns {any} an entry that is no report */
function makeSecret() {
  return { key: "", survey: "", epsilon: "0", body: null, secret: toHex(new SecureBytes().take(32)) };
}
