/**
 * The client: load a survey, submit a report, send what is still owed.
 *
 * Only a survey that is verified against the pinned key and within the caps can be answered, and only once. A report
 * is in the state before its first byte goes out; every retry sends the same bytes.
 */
import { Epsilon } from "./epsilon.js";
import { AlreadyAnswered, EpsilonCapExceeded, ManifestRefused, ReportRefused } from "./errors.js";
import { checkName } from "./manifest.js";
import { SecureBytes, uniform } from "./randomness.js";
import { Report, randomize } from "./report.js";
import { checkKey, verify } from "./signing.js";
import { MemoryState } from "./state.js";
import { LONGEST_WAIT, Transport } from "./transport.js";

/** @import { Manifest } from "./manifest.js" */
/** @import { ByteSource, Entry, Options } from "./types.js" */
/** @typedef {import("./types.js").Receipt} Receipt */

/** A survey that was verified against the key of its publisher. */
export class Survey {
  #source;

  /** @param {Manifest} manifest @param {ByteSource} source */
  constructor(manifest, source) {
    this.manifest = manifest;
    this.#source = source;
    Object.freeze(this);
  }

  /**
   * Draw the report to these answers (question id → answer): nothing is kept, nothing is sent.
   *
   * Call it once for each respondent: a second draw of the same answers spends epsilon again.
   * @param {Record<string, unknown>} answers
   */
  randomize(answers) {
    return randomize(this.manifest, answers, this.#source);
  }
}

/** One device's access to one server. */
export class Client {
  #transport;
  #key;
  #max;
  #maxTotal;
  #state;
  #now;
  #source = new SecureBytes();
  /** @type {Map<string, Epsilon>} manifest id → cost, once verified */
  #verified = new Map();
  /** @type {Map<string, Promise<Receipt>>} */
  #inFlight = new Map();

  /** @param {string} url @param {Options} options */
  constructor(url, { key, maxEpsilon = "4", maxTotalEpsilon = null, state, fetch, timeout = 30_000, now = Date.now }) {
    // The platform's fetch must not be called as a method of something else.
    this.#transport = new Transport(url, fetch ?? ((input, init) => globalThis.fetch(input, init)), timeout);
    this.#key = checkKey(key);
    this.#max = Epsilon.parse(maxEpsilon, "maxEpsilon");
    this.#maxTotal = maxTotalEpsilon === null ? null : Epsilon.parse(maxTotalEpsilon, "maxTotalEpsilon");
    this.#state = state ?? new MemoryState();
    this.#now = now;
  }

  /** Fetch a survey and verify it. @param {string} name */
  async survey(name) {
    const envelope = await this.#transport.fetchEnvelope(checkName(name, "a survey's name"));
    const manifest = await verify(envelope, this.#key);
    if (manifest.survey !== name) throw new ManifestRefused("the server sent another survey: ask the publisher why");
    this.#check(await this.#state.read(), manifest.survey, manifest.id, manifest.epsilon);
    this.#verified.set(manifest.id, manifest.epsilon);
    return new Survey(manifest, this.#source);
  }

  /**
   * Keep a report, then send it. The same report again sends the same bytes or gives the earlier receipt.
   * @param {Report} report
   */
  async submit(report) {
    const epsilon = report instanceof Report && this.#verified.get(report.manifest);
    if (!epsilon) throw new ReportRefused("this client has not loaded the report's survey: call client.survey first");
    return this.#send(await this.#state.update((entries) => this.#claim(entries, report, epsilon)));
  }

  /** Send every report that is still owed and may be sent now. */
  async flush() {
    const entries = await this.#state.read();
    const owed = entries.filter(({ key, body }) => key === this.#key && body !== null);
    return Promise.all(owed.map((entry) => this.#send(entry)));
  }

  /** Give the receipt of a survey that this state has answered, else null. @param {string} name */
  async receipt(name) {
    const entry = this.#find(await this.#state.read(), name);
    return entry ? this.#receiptOf(entry) : null;
  }

  /** Give what all reports of this state cost together, as a decimal text. */
  async spent() {
    return String(sum(await this.#state.read()));
  }

  /** @param {readonly Entry[]} entries @param {string} name */
  #find(entries, name) {
    return entries.find(({ key, survey }) => key === this.#key && survey === name);
  }

  /** @param {readonly Entry[]} entries @param {string} survey @param {string} manifest @param {Epsilon} epsilon */
  #check(entries, survey, manifest, epsilon) {
    const earlier = this.#find(entries, survey);
    if (earlier && earlier.manifest !== manifest) {
      throw new ManifestRefused(`the survey ${survey} was changed after it was answered here: ask the publisher why`);
    }
    const total = earlier ? sum(entries) : sum(entries).plus(epsilon);
    if (epsilon.exceeds(this.#max)) throw tooMuch(survey, epsilon, "maxEpsilon", this.#max);
    if (this.#maxTotal && total.exceeds(this.#maxTotal))
      throw tooMuch(survey, total, "maxTotalEpsilon", this.#maxTotal);
  }

  /** @param {readonly Entry[]} entries @param {Report} report @param {Epsilon} epsilon @returns {Entry} */
  #claim(entries, { survey, manifest, id, body }, epsilon) {
    const earlier = this.#find(entries, survey);
    if (earlier?.id === id) return earlier;
    if (earlier) {
      throw new AlreadyAnswered(`the survey ${survey} was answered before: each respondent needs a state of their own`);
    }
    this.#check(entries, survey, manifest, epsilon);
    const cost = String(epsilon);
    return { key: this.#key, survey, manifest, epsilon: cost, id, body, status: "queued", problem: null, notBefore: 0 };
  }

  /** @param {Entry} entry */
  async #send(entry) {
    const { id, body } = entry;
    if (body === null || this.#waitOf(entry) > 0) return this.#receiptOf(entry);
    const sending = this.#inFlight.get(id) ?? this.#sendNow(entry, body).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, sending);
    return sending;
  }

  /** @param {Entry} entry @param {string} body */
  async #sendNow(entry, body) {
    const { status, problem, wait } = await this.#transport.postReport(entry.survey, body);
    // Up to a quarter more, by chance: devices that were sent away together do not come back together.
    const jitter = wait && Number(uniform(this.#source, BigInt(wait * 250)));
    const notBefore = wait && this.#now() + wait * 1000 + jitter;
    const sent = { ...entry, status, problem, notBefore, body: status === "queued" ? body : null };
    const kept = await this.#state.update((entries) => {
      const current = this.#find(entries, entry.survey);
      // Another tab may have sent the same bytes: the first answer stands.
      return current && current.body === null ? current : sent;
    });
    return this.#receiptOf(kept);
  }

  /** @param {Entry} entry */
  #waitOf({ body, notBefore }) {
    const wait = Math.max(0, Math.ceil((notBefore - this.#now()) / 1000));
    // A wait longer than any that was ever set means that the clock was turned back.
    return body === null || wait > 2 * LONGEST_WAIT ? 0 : wait;
  }

  /** @param {Entry} entry @returns {Receipt} */
  #receiptOf(entry) {
    const { status, survey, id, problem } = entry;
    const retryAfter = this.#waitOf(entry);
    return Object.freeze({ status, survey, id, ...(problem && { problem }), ...(retryAfter && { retryAfter }) });
  }
}

/** @param {readonly Entry[]} entries */
function sum(entries) {
  return entries.reduce((total, { epsilon }) => total.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}

/** @param {string} survey @param {Epsilon} cost @param {string} limit @param {Epsilon} most */
function tooMuch(survey, cost, limit, most) {
  const message = `with the survey ${survey} the cost would be epsilon ${cost}, above ${limit} (${most})`;
  return new EpsilonCapExceeded(`${message}: leave it out, or raise the limit if you must`);
}
