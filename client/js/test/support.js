/**
 * What the tests share: the vectors, a fixed stream of bytes, a publisher with a known key, a real HTTP server.
 */
import { createHash, createPrivateKey, sign } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { placeOf } from "../src/mechanisms/grid.js";
import { MECHANISMS } from "../src/mechanisms/index.js";

export const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const VECTORS = new URL("../../../shared/vectors/", import.meta.url);
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Read a file of test vectors. @param {string} name @returns {Promise<any>} */
export async function vectors(name) {
  return JSON.parse(await readFile(new URL(`${name}.json`, VECTORS), "utf8"));
}

/** Read the words of the form in a language, as a page carries them. @param {string} tag @returns {Promise<any>} */
export async function readWords(tag) {
  const { label_page: _, ...form } = (await import(`../words/${tag}.js`)).default;
  const own = MECHANISMS.map(async ({ NAME }) => [NAME, (await import(`../words/mechanisms/${NAME}.js`)).default[tag]]);
  return { ...form, mechanisms: Object.fromEntries(await Promise.all(own)), lang: tag };
}

/** Read the vectors of every mechanism. */
export async function mechanismVectors() {
  return Promise.all(MECHANISMS.map(async ({ NAME }) => ({ name: NAME, ...(await vectors(NAME)) })));
}

/** Return a code of the vectors as the designs take it. @param {any} code */
export function codeOf(code) {
  return code.min === undefined ? code : placeOf(code.value, code.min, code.max);
}

/** Return the fields of a manifest that is signed. @param {string} envelope @returns {any} */
export function payloadOf(envelope) {
  return JSON.parse(Buffer.from(JSON.parse(envelope).payload, "base64url").toString());
}

/** Return the survey of this name of the vectors. @param {string} name @returns {Promise<any>} */
export async function surveyOfVectors(name) {
  const { surveys } = await vectors("reports");
  return surveys.find((/** @type {any} */ survey) => survey.name === name);
}

/** Hand out SHA-256(prefix, seed, 0), SHA-256(prefix, seed, 1), … as one stream. It is NOT random. */
export class FixedTestStream {
  taken = 0;
  #buffer = Buffer.alloc(0);
  #block = 0;
  #seed;

  /** @param {string} seed */
  constructor(seed) {
    this.#seed = seed;
  }

  /** @param {number} count @returns {Uint8Array} */
  take(count) {
    while (this.#buffer.length < count) this.#buffer = Buffer.concat([this.#buffer, this.#nextBlock()]);
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count);
    this.taken += count;
    return Uint8Array.from(bytes);
  }

  #nextBlock() {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#block);
    this.#block += 1;
    return createHash("sha256").update("ldp-tv-1").update(this.#seed).update(counter).digest();
  }
}

/** The key whose private part is the bytes 0 … 31, as in the vectors. */
export const KEY = "ed25519:A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg";
const PRIVATE = createPrivateKey({
  key: Buffer.concat([PKCS8, Buffer.from(Array.from({ length: 32 }, (_, i) => i))]),
  format: "der",
  type: "pkcs8",
});

/** Sign any bytes as an attacker with the key could. @param {string | Uint8Array} payload */
export function envelopeOf(payload) {
  const bytes = Buffer.from(payload);
  const signature = sign(null, Buffer.concat([Buffer.from("hushpoll manifest 1\n"), bytes]), PRIVATE);
  return JSON.stringify({ payload: bytes.toString("base64url"), signature: signature.toString("base64url"), key: KEY });
}

/** Warner's design: the answer is reported three times out of four. */
export const THREE_TO_ONE = {
  name: "subset",
  size: 2,
  picks: 1,
  threshold: "13835058055282163712",
  odds: "3:1",
  epsilon: "1.0986122886681096914",
};

/** Return the fields of a question that is answered by yes or no. @param {Record<string, unknown>} changes */
export function yesNo(changes = {}) {
  const question = { id: "cheated", text: "Did you?", type: "yes_no", extras: [], when: null };
  return { ...question, mechanism: THREE_TO_ONE, ...changes };
}

/** Return the fields of a manifest with one question at odds 3:1. @param {Record<string, unknown>} changes */
export function fieldsOf(changes = {}) {
  return {
    format: "hushpoll-manifest-1",
    survey: "campus",
    title: "Campus",
    consent: "You may leave at any time.",
    population: null,
    opens: null,
    closes: null,
    epsilon: "200",
    ask: null,
    panel: null,
    language: null,
    translations: {},
    hosts: [],
    questions: [yesNo()],
    ...changes,
  };
}

/** Publish a survey: its signed envelope. @param {Record<string, unknown>} changes */
export function publish(changes = {}) {
  return envelopeOf(JSON.stringify(fieldsOf(changes)));
}

/**
 * @typedef {{ method: string | undefined, url: string | undefined, headers: import("node:http").IncomingHttpHeaders, body: string }} Request
 * @typedef {{ status?: number, headers?: Record<string, string>, body?: string | Buffer | object, drop?: boolean }} Reply
 */

/**
 * Start a server on this machine whose replies the test decides.
 * @param {import("node:test").TestContext} test
 * @param {(request: Request) => Reply | Promise<Reply>} answer
 */
export async function serve(test, answer) {
  /** @type {Request[]} */
  const requests = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    const { status = 200, headers: extra = {}, body = "", drop = false } = await answer(request);
    if (drop) return incoming.socket.destroy();
    outgoing.writeHead(status, { "Content-Type": "application/json", ...extra });
    return outgoing.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const reports = () => requests.filter(({ method }) => method === "POST").map(({ body }) => body);
  return { url: `http://127.0.0.1:${address.port}`, requests, reports };
}

/** Make a folder that is gone after the test. @param {import("node:test").TestContext} test */
export async function folder(test) {
  const path = await mkdtemp(join(tmpdir(), "hushpoll-"));
  test.after(() => rm(path, { recursive: true }));
  return path;
}
