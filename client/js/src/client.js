/**
 * The client: load a survey, submit a report, send what is still owed.
 *
 * The laws here: only a survey that is verified against the pinned key and within the caps can be answered; a report
 * is in the state before its first byte goes out; every retry sends the same bytes; a survey is answered once.
 */
import { Epsilon } from "./epsilon.js";
import { AlreadyAnswered, EpsilonCapExceeded, ManifestRefused, ReportRefused } from "./errors.js";
import { checkName } from "./manifest.js";
import { SecureBytes, uniform } from "./randomness.js";
import { Report, randomize } from "./report.js";
import { checkKey, verify } from "./signing.js";
import { MemoryState } from "./state.js";
import { LONGEST_WAIT, Transport } from "./transport.js";

/** @typedef {import("./state.js").Entry} Entry */

/**
 * @typedef {object} Options
 * @property {string} key the publisher's public key, "ed25519:…": get it from the publisher, not from the server
 * @property {string | number} [maxEpsilon] the most that one survey may cost; "4" if not given
 * @property {string | number | null} [maxTotalEpsilon] the most that all surveys of this state may cost together
 * @property {import("./state.js").State} [state] memory if not given: `IndexedDBState` and `FileState` last longer
 * @property {typeof globalThis.fetch} [fetch]
 * @property {number} [timeout] of one call, in milliseconds
 * @property {() => number} [now] the clock, in milliseconds
 *
 * @typedef {object} Receipt
 * @property {Entry["status"]} status
 * @property {string} survey
 * @property {string} id the report's id
 * @property {string} [problem] the type of the problem that the server named
 * @property {number} [retryAfter] seconds before which it will not be sent again
 */

/** A survey that was verified against the key of its publisher. */
export class Survey {
  #source;

  /** @param {import("./manifest.js").Manifest} manifest @param {import("./randomness.js").ByteSource} source */
  constructor(manifest, source) {
    this.manifest = manifest;
    this.#source = source;
    Object.freeze(this);
  }

  /**
   * Draw the report to these answers: nothing is kept, nothing is sent.
   *
   * Each call is a new draw. Call it once for each respondent: a second draw of the same answers spends epsilon again.
   * @param {Record<string, unknown>} answers question id → answer
   */
  randomize(answers) {
    return randomize(this.manifest, answers, this.#source);
  }
}

/** One device's access to one server. */
export class Client {
  #transport;
  #key;
  #maxEpsilon;
  #maxTotalEpsilon;
  #state;
  #now;
  #source = new SecureBytes();
  /** @type {Map<string, Epsilon>} the cost of each verified manifest */
  #verified = new Map();
  /** @type {Map<string, Promise<Receipt>>} */
  #inFlight = new Map();

  /** @param {string} url @param {Options} options */
  constructor(url, options) {
    const { maxEpsilon = "4", maxTotalEpsilon = null, timeout = 30_000 } = options;
    // The platform's fetch must not be called as a method of something else.
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#transport = new Transport(url, { fetch, timeout });
    this.#key = checkKey(options.key);
    this.#maxEpsilon = Epsilon.parse(maxEpsilon, "maxEpsilon");
    this.#maxTotalEpsilon = maxTotalEpsilon === null ? null : Epsilon.parse(maxTotalEpsilon, "maxTotalEpsilon");
    this.#state = options.state ?? new MemoryState();
    this.#now = options.now ?? Date.now;
  }

  /**
   * Fetch a survey and verify it against the pinned key, the caps and what was answered before.
   * @param {string} name
   */
  async survey(name) {
    const envelope = await this.#transport.fetchEnvelope(checkName(name, "a survey's name"));
    const manifest = await verify(envelope, this.#key);
    if (manifest.survey !== name) throw new ManifestRefused("the server sent another survey: tell its operator");
    this.#checkAgainst(await this.#state.read(), name, manifest.id, manifest.epsilon);
    this.#verified.set(manifest.id, manifest.epsilon);
    return new Survey(manifest, this.#source);
  }

  /**
   * Keep a report, then send it. The same report again sends the same bytes or gives the earlier receipt.
   * @param {Report} report
   * @returns {Promise<Receipt>}
   */
  async submit(report) {
    const epsilon = report instanceof Report && this.#verified.get(report.manifest);
    if (!epsilon) {
      throw new ReportRefused("the report is not to a survey that this client has loaded: call client.survey first");
    }
    const entry = await this.#state.update((entries) => this.#claim(entries, report, epsilon));
    return this.#send(entry);
  }

  /**
   * Send every report that is still owed and may be sent now.
   * @returns {Promise<Receipt[]>}
   */
  async flush() {
    const entries = await this.#state.read();
    const owed = entries.filter(({ key, status }) => key === this.#key && status === "queued");
    return Promise.all(owed.map((entry) => this.#send(entry)));
  }

  /**
   * Give the receipt of a survey that this state has answered, else null.
   * @param {string} survey
   */
  async receipt(survey) {
    const entry = this.#find(await this.#state.read(), survey);
    return entry ? this.#receiptOf(entry) : null;
  }

  /** Give what all reports of this state have cost together, as a decimal text. */
  async spent() {
    return String(sum(await this.#state.read()));
  }

  /** @param {readonly Entry[]} entries @param {string} name */
  #find(entries, name) {
    return entries.find(({ key, survey }) => key === this.#key && survey === name);
  }

  /**
   * @param {readonly Entry[]} entries
   * @param {string} survey @param {string} manifest @param {Epsilon} epsilon
   */
  #checkAgainst(entries, survey, manifest, epsilon) {
    const earlier = this.#find(entries, survey);
    if (earlier && earlier.manifest !== manifest) {
      throw new ManifestRefused(`the survey ${survey} was changed after it was answered here: ask the publisher why`);
    }
    if (epsilon.exceeds(this.#maxEpsilon)) {
      throw new EpsilonCapExceeded(
        `the survey ${survey} costs epsilon ${epsilon}, more than the ${this.#maxEpsilon} that is allowed: ` +
          "leave it out, or raise maxEpsilon if you must",
      );
    }
    const total = sum(entries).plus(epsilon);
    if (!earlier && this.#maxTotalEpsilon && total.exceeds(this.#maxTotalEpsilon)) {
      throw new EpsilonCapExceeded(
        `with the survey ${survey} this device would have spent epsilon ${total}, more than the total of ` +
          `${this.#maxTotalEpsilon}: leave it out, or raise maxTotalEpsilon if you must`,
      );
    }
  }

  /**
   * @param {readonly Entry[]} entries @param {Report} report @param {Epsilon} epsilon
   * @returns {Entry}
   */
  #claim(entries, { survey, manifest, id, body }, epsilon) {
    const earlier = this.#find(entries, survey);
    if (earlier?.id === id) return earlier;
    if (earlier) {
      throw new AlreadyAnswered(
        `the survey ${survey} was answered with this state before: each respondent needs a state of their own`,
      );
    }
    this.#checkAgainst(entries, survey, manifest, epsilon);
    const cost = String(epsilon);
    return { key: this.#key, survey, manifest, epsilon: cost, id, body, status: "queued", problem: null, notBefore: 0 };
  }

  /** @param {Entry} entry @returns {Promise<Receipt>} */
  async #send(entry) {
    if (entry.body === null || this.#waitOf(entry) > 0) return this.#receiptOf(entry);
    const underWay = this.#inFlight.get(entry.id) ?? this.#sendNow(entry, entry.body);
    this.#inFlight.set(entry.id, underWay);
    try {
      return await underWay;
    } finally {
      this.#inFlight.delete(entry.id);
    }
  }

  /** @param {Entry} entry @param {string} body */
  async #sendNow(entry, body) {
    const { status, problem, wait } = await this.#transport.postReport(entry.survey, body);
    const kept = await this.#state.update((entries) => {
      const current = this.#find(entries, entry.survey) ?? entry;
      // Another tab may have sent the same bytes: the first answer stands.
      if (current.status !== "queued") return current;
      const body = status === "queued" ? current.body : null;
      return { ...current, status, problem, body, notBefore: this.#notBefore(wait) };
    });
    return this.#receiptOf(kept);
  }

  /** @param {number} wait in seconds */
  #notBefore(wait) {
    if (wait === 0) return 0;
    // Up to a quarter more, by chance: devices that were sent away together do not come back together.
    return this.#now() + wait * 1000 + Number(uniform(this.#source, BigInt(wait * 250)));
  }

  /** @param {Entry} entry */
  #waitOf({ notBefore }) {
    const wait = Math.ceil((notBefore - this.#now()) / 1000);
    // A wait longer than any that was ever set means that the clock was turned back.
    return wait > 2 * LONGEST_WAIT ? 0 : Math.max(0, wait);
  }

  /** @param {Entry} entry @returns {Receipt} */
  #receiptOf(entry) {
    const { status, survey, id, problem } = entry;
    const wait = status === "queued" ? this.#waitOf(entry) : 0;
    return Object.freeze({ status, survey, id, ...(problem && { problem }), ...(wait && { retryAfter: wait }) });
  }
}

/** @param {readonly Entry[]} entries */
function sum(entries) {
  return entries.reduce((total, { epsilon }) => total.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}
