/**
 * The client: load a survey, submit a report, send what is still owed.
 *
 * Only a survey that is verified against the pinned key and within the caps can be answered, and only once.
 */

import { findEnvelope, keepEnvelope } from "./envelopes.js";
import { Epsilon } from "./epsilon.js";
import {
  EpsilonCapExceeded,
  ManifestRefused,
  need,
  ReportRefused,
  ServerRefused,
  ServerUnreachable,
} from "./errors.js";
import { call, isRefusal } from "./http.js";
import { Outbox } from "./outbox.js";
import { remember } from "./permanent.js";
import { openQueue } from "./queue.js";
import { SecureBytes } from "./randomness.js";
import { Report } from "./report.js";
import { MemoryState } from "./state.js";
import { checkKey, LARGEST_ENVELOPE, randomizeStrictly, readEpsilon, verifyStrictly } from "./strict.js";
import { checkName } from "./strict_values.js";

/** @import { Answers, ByteSource, Entry, Manifest, Options, Recall, State } from "./types.js" */

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A survey that was verified against the key of its publisher. */
export class Survey {
  #source;
  #recall;

  /** @param {Manifest} manifest @param {ByteSource} source @param {Recall} [recall] for repeated questions */
  constructor(manifest, source, recall) {
    this.manifest = manifest;
    this.#source = source;
    this.#recall = recall;
    Object.freeze(this);
  }

  /**
   * Draw the report to these answers (question id → answer): nothing is kept, nothing is sent.
   *
   * Call it once for each respondent: a second draw of the same answers spends epsilon again.
   * @param {Answers} answers
   */
  randomize(answers) {
    return randomizeStrictly(this.manifest, answers, this.#source, this.#recall);
  }
}

/** One device's access to one server. */
export class Client {
  #server;
  #key;
  #max;
  #maxTotal;
  #state;
  #queue;
  #outbox;
  #source = new SecureBytes();
  /** @type {Set<string>} ids of manifests */
  #verified = new Set();

  /** @param {string} url @param {Options} options */
  constructor(url, options) {
    /** @type {Options} */
    const { key, maxEpsilon = "4", maxTotalEpsilon = null, state, fetch, timeout, now, sleep } = Object(options);
    this.#server = { url: checkUrl(url), fetch, timeout };
    this.#key = checkKey(key);
    this.#max = readEpsilon(maxEpsilon, "maxEpsilon");
    this.#maxTotal = maxTotalEpsilon === null ? null : readEpsilon(maxTotalEpsilon, "maxTotalEpsilon");
    this.#state = state ?? new MemoryState();
    this.#queue = openQueue(this.#server, this.#key, this.#capped(this.#state), now);
    this.#outbox = new Outbox(this.#queue, this.#key, this.#state, { now, sleep });
  }

  /**
   * Fetch a survey and verify it; if the server is away, take the manifest that was verified last and verify it again.
   * @param {string} name
   */
  async survey(name) {
    const envelope = await this.#envelope(checkName(name));
    const manifest = await verifyStrictly(envelope, this.#key);
    if (manifest.survey !== name) throw new ManifestRefused("the server sent another survey: ask the publisher why");
    await this.#queue.earlier(manifest);
    checkCap(name, manifest.epsilon, "maxEpsilon", this.#max);
    // The most that it can cost, whatever is answered: who took part must not depend on the answers.
    this.#checkTotal(await this.#state.read(), name, manifest.epsilon);
    await keepEnvelope(this.#state, this.#key, manifest, envelope);
    this.#verified.add(manifest.id);
    return new Survey(manifest, this.#source, await recallFor(manifest, this.#state, this.#key));
  }

  /**
   * Keep a report, then send it. The same report again sends the same bytes or gives the earlier receipt.
   * @param {Report} report
   */
  async submit(report) {
    const isKnown = report instanceof Report && this.#verified.has(report.manifest);
    if (!isKnown) throw new ReportRefused("this client has not loaded the report's survey: call client.survey first");
    return this.#queue.submit(report);
  }

  /**
   * Send every report that is still owed and may be sent now; give a receipt for each.
   *
   * With `patience`, wait for a server that is away or asked for time, and try again: so many seconds of pauses at most,
   * spread by chance. Without it, nothing waits.
   * @param {{ patience?: number }} options
   */
  async flush({ patience = 0 } = {}) {
    return this.#outbox.flush(patience);
  }

  /** Give the receipt of a survey that this state has answered, else null. @param {string} name */
  async receipt(name) {
    const entries = await this.#state.read();
    const entry = this.#queue.find(entries, name);
    return entry ? this.#queue.receipt(this.#outbox.rested(entries, entry)) : null;
  }

  /** Give what all reports of this state cost together, as a decimal text. */
  async spent() {
    return String(sum(await this.#state.read()));
  }

  /** @param {string} survey @returns {Promise<string | Uint8Array>} */
  async #envelope(survey) {
    try {
      return await this.#fetchEnvelope(survey);
    } catch (error) {
      const kept = error instanceof ServerUnreachable && findEnvelope(await this.#state.read(), this.#key, survey);
      if (!kept) throw error;
      return kept;
    }
  }

  /** @param {string} survey */
  async #fetchEnvelope(survey) {
    const { response, body } = await call(this.#server, `${survey}/manifest`, LARGEST_ENVELOPE);
    if (response.status === 200) return body;
    const message = `the server does not give out the survey ${survey} (status ${response.status})`;
    if (isRefusal(response.status)) throw new ServerRefused(`${message}: check its name and the server's address`);
    throw new ServerUnreachable(`${message}: try again later`);
  }

  /** Give a state that keeps no report above the cap, and lets all wait for a server that asked one. @param {State} state @returns {State} */
  #capped(state) {
    return {
      read: () => state.read(),
      update: (change) =>
        state.update((entries) => {
          const entry = change(entries);
          this.#checkTotal(entries, entry.survey, Epsilon.parse(entry.epsilon));
          return this.#outbox.rested(entries, entry);
        }),
    };
  }

  /** @param {readonly Entry[]} entries @param {string} survey @param {Epsilon} epsilon */
  #checkTotal(entries, survey, epsilon) {
    if (!this.#maxTotal || this.#queue.find(entries, survey)) return;
    checkCap(survey, sum(entries).plus(epsilon), "maxTotalEpsilon", this.#maxTotal);
  }
}

/** @param {Manifest} manifest @param {State} state @param {string} publisher */
async function recallFor(manifest, state, publisher) {
  if (manifest.panel === null) return undefined;
  return remember(manifest, state, publisher);
}

/** @param {string} url */
function checkUrl(url) {
  need(URL.canParse(url), "the server's address must be written as https://polls.example.org");
  const { protocol, hostname, username, password, search, hash, href } = new URL(url);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  need(isSafe, "the server's address must start with https:// (http:// is for this machine only)");
  need(!(username || password || search || hash), "the server's address must have no user, password, ? or #");
  return href.replace(/\/+$/, "");
}

/** @param {readonly Entry[]} entries */
function sum(entries) {
  return entries.reduce((total, { epsilon }) => total.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}

/** @param {string} survey @param {Epsilon} cost @param {string} limit @param {Epsilon} most */
function checkCap(survey, cost, limit, most) {
  if (!cost.exceeds(most)) return;
  const message = `with the survey ${survey} the cost would be epsilon ${cost}, above ${limit} (${most})`;
  throw new EpsilonCapExceeded(`${message}: leave it out, or raise the limit if you must`);
}
