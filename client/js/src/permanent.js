/**
 * Permanent draws of repeated questions: they follow from a secret of the device, so that no list of answers is kept.
 *
 * The draws of all possible answers are made before one is given. The steps of the derivation are written once; who
 * computes the HMACs (a browser later, Node at once) drives them.
 */
import { SecureBytes } from "./core.js";
import { toHex } from "./manifest.js";

/** @import { Subset } from "./designs/subset.js" */
/** @import { ByteSource, Entry, Manifest, Memo, Memory, Recall, State } from "./types.js" */

/**
 * Derive the memory of a device for a survey. Each publisher gets draws of its own.
 * @param {Manifest} manifest @param {State} state @param {string} publisher the key that signed the manifest
 * @returns {Promise<Recall>}
 */
export async function remember(manifest, state, publisher) {
  const secret = await hmac(await secretOf(state), `hushpoll publisher 1\n${publisher}`);
  const steps = derive(manifest);
  let step = steps.next();
  while (!step.done) step = steps.next(await hmac(secret, step.value));
  const memory = step.value;
  return () => memory;
}

/** @param {Uint8Array<ArrayBuffer>} secret @param {string} text */
async function hmac(secret, text) {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text)));
}

/** Derive a memory at once. @param {Manifest} manifest @param {(text: string) => Uint8Array} hmac @returns {Memory} */
export function rememberNow(manifest, hmac) {
  const steps = derive(manifest);
  let step = steps.next();
  while (!step.done) step = steps.next(hmac(step.value));
  return step.value;
}

/**
 * Ask for HMACs of texts, and make the memory of them.
 * @param {Manifest} manifest @returns {Generator<string, Memory, Uint8Array>}
 */
function* derive({ panel, questions }) {
  /** @type {Memory} */
  const memory = new Map();
  for (const { id, design, spelling } of questions) {
    if (!design.permanent) continue;
    const { size, threshold } = design.permanent;
    /** @type {Memo[]} */
    const memos = [];
    for (let code = 0; code < size; code += 1) {
      const place = `${panel}\n${spelling}\n${size}\n${threshold}\n${code}`;
      const drawn = yield* drawPermanent(design.permanent, place, code);
      memos.push({ code: drawn, tag: toHex(yield `hushpoll memo 1\n${place}`) });
    }
    memory.set(id, memos);
  }
  return memory;
}

/**
 * @param {Subset} design @param {string} place @param {number} code
 * @returns {Generator<string, number, Uint8Array>}
 */
function* drawPermanent(design, place, code) {
  /** @type {number[]} */
  const bytes = [];
  for (let i = 0; ; i += 1) {
    bytes.push(...(yield `hushpoll permanent 1\n${place}\n${i}`));
    try {
      return design.choose(sourceOf(bytes), code)[0];
    } catch (error) {
      // What is thrown away may take it beyond the first block: it starts again with one more.
      if (!(error instanceof UsedUp)) throw error;
    }
  }
}

/** @param {readonly number[]} bytes @returns {ByteSource} */
function sourceOf(bytes) {
  let next = 0;
  return {
    take(count) {
      next += count;
      if (next > bytes.length) throw new UsedUp();
      return Uint8Array.from(bytes.slice(next - count, next));
    },
  };
}

class UsedUp extends Error {}

/**
 * Give the secret of a device. It is made when first needed, and kept in an entry that belongs to no publisher: so every
 * state can hold it, and an older version that shares the state leaves it in its place.
 * @param {State} state
 */
async function secretOf(state) {
  const { secret = "" } = await state.update((entries) => entries.find((entry) => entry.secret) ?? makeSecret());
  return Uint8Array.from(secret.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** @returns {Entry} */
function makeSecret() {
  const nothing = { key: "", survey: "", manifest: "", epsilon: "0", id: "", body: null, problem: null, notBefore: 0 };
  return { ...nothing, status: "accepted", secret: toHex(new SecureBytes().take(32)) };
}
