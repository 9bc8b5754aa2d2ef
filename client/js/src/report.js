/** Reports: drawn once, kept, then sent. */
import {
  AlreadyAnswered,
  AnswerRefused,
  ManifestRefused,
  parse,
  SecureBytes,
  ServerUnreachable,
  StateFailed,
} from "./core.js";
import { toHex } from "./manifest.js";

const LONGEST_WAIT = 86_400;

export class Report {
  /** @param {T.Manifest} manifest @param {string} id @param {T.Draw[]} draws @param {T.Charge} [charge] */
  constructor({ survey, id: manifest, questions, epsilon }, id, draws, charge = () => ({ epsilon: String(epsilon) })) {
    const answers = Object.fromEntries(questions.map((question, i) => [question.id, draws[i]]));
    this.survey = survey;
    this.manifest = manifest;
    this.id = id;
    this.body = JSON.stringify({ v: 1, survey, manifest, id, answers });
    this.charge = charge;
    Object.freeze(this);
  }
}

/** The only place with a raw answer. @type {T.Randomize} */
export function randomize(manifest, answers, source = new SecureBytes(), recall) {
  const { questions, draw } = manifest;
  const codes = encode(questions, answers);
  const id = toHex(source.take(16));
  const [draws, charge] = draw?.(source, codes, recall) ?? [
    questions.map(({ design }, i) => design.draw(source, codes[i])),
  ];
  return new Report(manifest, id, draws, charge);
}

/** @type {T.Encode} */
function encode(questions, answers) {
  const given = Object(answers);
  if (given !== answers || Array.isArray(answers)) throw new AnswerRefused("answers must be an object");
  /** @type {string[]} */
  const asked = [];
  const codeOf = (/** @type {T.Part} */ part) => {
    asked.push(part.id);
    const code = part.code(Object.hasOwn(given, part.id) ? given[part.id] : null);
    if (code !== undefined) return code;
    throw new AnswerRefused(`the question ${part.id} must be answered with ${part.wants}`);
  };
  const codes = questions.map((question) => question.encode?.(codeOf) ?? codeOf(question));
  if (Object.keys(given).every((id) => asked.includes(id))) return codes;
  // The extra name is not repeated: it may hold an answer.
  throw new AnswerRefused(`only these questions are asked: ${asked.join(", ")}`);
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

    async submit({ survey, manifest, id, body, charge }) {
      const entry = await state.update((entries) => {
        const earlier = queue.find(entries, survey);
        if (earlier?.id === id) return earlier;
        if (earlier) throw new AlreadyAnswered("answered before: each respondent needs a state of their own");
        return { key, survey, manifest, ...charge(entries), id, body, status: "queued", problem: null, notBefore: 0 };
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
  return /^4(?!08|25|29)/.test(`${status}`);
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
