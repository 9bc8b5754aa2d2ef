/** Reports: drawn once, kept before the first byte goes out, the same bytes on every retry. */
import {
  AlreadyAnswered,
  AnswerRefused,
  isObject,
  ManifestRefused,
  parse,
  SecureBytes,
  ServerUnreachable,
  StateFailed,
} from "./core.js";
import { toHex } from "./manifest.js";

const LONGEST_WAIT = 24 * 60 * 60;

export class Report {
  /** @param {T.Manifest} manifest @param {string} id @param {T.Draws} answers */
  constructor({ survey, id: manifest }, id, answers) {
    this.survey = survey;
    this.manifest = manifest;
    this.id = id;
    this.body = JSON.stringify({ v: 1, survey, manifest, id, answers });
    Object.freeze(this);
  }
}

/** The only place with a raw answer. @type {T.Randomize} */
export function randomize(manifest, answers, source = new SecureBytes()) {
  const codes = encode(manifest, answers);
  const id = toHex(source.take(16));
  const draws = manifest.questions.map(({ id, design }, i) => [id, design.draw(source, codes[i])]);
  return new Report(manifest, id, Object.fromEntries(draws));
}

/** @type {T.Encode} */
function encode({ questions }, answers) {
  if (!isObject(answers)) throw new AnswerRefused("answers must be an object");
  const codes = questions.map(({ id, design }) => {
    const code = Object.hasOwn(answers, id) ? design.encode(answers[id]) : undefined;
    if (code === undefined) throw new AnswerRefused(`the question ${id} must be answered with ${design.wants}`);
    return code;
  });
  if (Object.keys(answers).length === codes.length) return codes;
  // The extra name is not repeated: it may hold an answer.
  throw new AnswerRefused(`only these questions are asked: ${questions.map(({ id }) => id).join(", ")}`);
}

/** @type {T.OpenQueue} */
export function openQueue(server, key, state, now = Date.now) {
  const inFlight = new Map();
  /** @type {T.Queue} */
  const queue = {
    find: (entries, name) => entries.find((entry) => entry.key === key && entry.survey === name),

    async earlier({ survey, id }) {
      const entry = queue.find(await state.read(), survey);
      if (!entry || entry.manifest === id) return entry;
      throw new ManifestRefused(`${survey} was changed after it was answered here`);
    },

    async submit({ survey, manifest, id, body }, cost, allow) {
      const entry = await state.update((entries) => {
        const earlier = queue.find(entries, survey);
        if (earlier?.id === id) return earlier;
        if (earlier) throw new AlreadyAnswered("answered before: each respondent needs a state of their own");
        allow?.(entries);
        const epsilon = String(cost);
        return { key, survey, manifest, epsilon, id, body, status: "queued", problem: null, notBefore: 0 };
      });
      return queue.send(entry);
    },

    async send(entry) {
      const { id, body } = entry;
      const receipt = queue.receipt(entry);
      if (body === null || receipt.retryAfter) return receipt;
      const sending = inFlight.get(id) ?? sendNow(entry, body).finally(() => inFlight.delete(id));
      inFlight.set(id, sending);
      return sending;
    },

    receipt({ status, survey, id, problem, body, notBefore }) {
      const wait = Math.ceil((notBefore - now()) / 1000);
      // Longer than any that was ever set: the clock was turned back.
      const retryAfter = body !== null && wait > 0 && wait <= 2 * LONGEST_WAIT && wait;
      return Object.freeze({ status, survey, id, ...(problem && { problem }), ...(retryAfter && { retryAfter }) });
    },
  };

  /** @param {T.Entry} entry @param {string} body */
  async function sendNow(entry, body) {
    const { wait, ...outcome } = await post(server, entry.survey, body);
    // Up to a quarter more: devices do not all come back together.
    const [chance] = new SecureBytes().take(1);
    const notBefore = wait && now() + wait * (1000 + chance);
    const sent = { ...entry, ...outcome, notBefore, body: outcome.status === "queued" ? body : null };
    const kept = await state.update((entries) => {
      const current = queue.find(entries, entry.survey);
      // Another tab may have sent it: the first answer stands.
      return current?.body === null ? current : sent;
    });
    return queue.receipt(kept);
  }

  return queue;
}

/** @type {T.Post} */
async function post(server, survey, report) {
  let response = Response.error();
  let fields;
  try {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: report };
    const answer = await call(server, `${survey}/reports`, 65_536, request);
    response = answer.response;
    fields = parse(answer.body);
  } catch {
    // Not the collector: not yet.
  }
  const { status, type } = Object(fields);
  const taken = { 201: "accepted", 200: "duplicate" }[response.status];
  if (taken && taken === status) return { status, problem: null, wait: 0 };
  const [problem = null] = /^urn:hushpoll:problem:[a-z-]{1,64}$/.exec(typeof type === "string" ? type : "") ?? [];
  const isFinal = isRefusal(response.status) && problem !== null && !problem.endsWith(":survey-not-open");
  // Seconds, no date: this device's clock may be wrong.
  const [seconds = 0] = /^\d{1,9}$/.exec(response.headers.get("Retry-After") ?? "") ?? [];
  return { status: isFinal ? "rejected" : "queued", problem, wait: Math.min(Number(seconds), LONGEST_WAIT) };
}

/** Call without cookies, referrer, cache or redirects. @type {T.Call} */
export async function call({ url, fetch = globalThis.fetch, timeout = 30_000 }, path, most, request) {
  try {
    const response = await fetch(`${url}/api/v1/surveys/${path}`, {
      ...request,
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal: AbortSignal.timeout(timeout),
    });
    return { response, body: await readBody(response, most) };
  } catch {
    throw new ServerUnreachable("no answer, or more than belongs here: try again later");
  }
}

/** Timeout, too early, too many: later. @param {number} status */
export function isRefusal(status) {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

/** @param {Response} response @param {number} most */
async function readBody({ body }, most) {
  const chunks = [];
  const reader = body?.getReader();
  for (let size = 0, part = await reader?.read(); part?.value; part = await reader?.read()) {
    size += part.value.length;
    if (size > most) throw await reader?.cancel();
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @implements {T.State} */
export class IndexedDBState {
  async read() {
    return run("readonly", (entries) => entries);
  }

  /** @type {T.State["update"]} */
  async update(change) {
    return run("readwrite", (entries, store) => {
      const entry = change(entries);
      store.put(entry);
      return entry;
    });
  }
}

/** A transaction is on the disk when it ends. @type {T.Run} */
async function run(mode, work) {
  /** @type {any} */
  let result;
  /** @type {unknown} */
  let refusal = new StateFailed("nothing can be kept, so nothing is sent: allow it");
  try {
    const opening = indexedDB.open("hushpoll", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: ["key", "survey"] });
    await happens(opening, "success");
    const transaction = opening.result.transaction("entries", mode, { durability: "strict" });
    // It closes after the transaction.
    opening.result.close();
    const store = transaction.objectStore("entries");
    const reading = store.getAll();
    reading.onsuccess = () => {
      try {
        result = work(reading.result, store);
      } catch (error) {
        refusal = error;
        transaction.abort();
      }
    };
    await happens(transaction, "complete");
    return result;
  } catch {
    throw refusal;
  }
}

/** @param {EventTarget} target @param {string} event */
function happens(target, event) {
  return new Promise((resolve, reject) => {
    target.addEventListener(event, resolve);
    target.addEventListener("error", reject);
    target.addEventListener("abort", reject);
  });
}
