/**
 * The client: load a survey, submit a report, send what is still queued.
 *
 * Only a survey that is verified against the pinned key and within the caps can be answered, and only once.
 */

import { findEnvelope, keepEnvelope } from "./envelopes.js";
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
import { rowsOf, weighWave } from "./panels.js";
import { remember } from "./permanent.js";
import { openQueue } from "./queue.js";
import { SecureBytes } from "./randomness.js";
import { Report } from "./report.js";
import { mostSpentBy, spentBy } from "./spending.js";
import { MemoryState } from "./state.js";
import { randomizeStrictly } from "./strict/randomize.js";
import { checkKey, checkName, readEpsilon } from "./strict/values.js";
import { LARGEST_ENVELOPE, verifyStrictly } from "./strict/verify.js";

/** @import { Epsilon } from "./epsilon.js" */
/** @import { Manifest } from "./manifest.js" */
/** @import { Answers, ByteSource, Entry, Options, Recall, Row, State, Wave } from "./types.js" */

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A survey that was verified against the key of its publisher. */
export class Survey {
  #source;
  #recall;

  /**
   * @param {Manifest} manifest @param {ByteSource} source @param {Recall} [recall] for repeated questions
   * @param {Wave} [wave] of a panel
   */
  constructor(manifest, source, recall, wave) {
    this.manifest = manifest;
    /** Whether this state answered an earlier wave of the panel. If not, someone who took part before pays again. */
    this.knowsPanel = wave?.isKnown ?? false;
    /** The ids of repeated questions that are new to this state in a panel that it knows: they cost again. */
    this.newQuestions = Object.freeze(this.knowsPanel ? (wave?.newQuestions ?? []).map(({ id }) => id) : []);
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
  #maxPanel;
  #state;
  #queue;
  #outbox;
  #source = new SecureBytes();
  /** @type {Map<string, [Manifest, readonly Row[]]>} by their ids */
  #verified = new Map();

  /** @param {string} url @param {Options} options */
  constructor(url, options) {
    /** @type {Options} */
    const {
      key,
      maxEpsilon = "4",
      maxTotalEpsilon,
      maxPanelEpsilon,
      state,
      fetch,
      timeout,
      now,
      sleep,
    } = Object(options);
    this.#server = { url: checkUrl(url), fetch: onOwnConnection(fetch), timeout };
    this.#key = checkKey(key);
    this.#max = readEpsilon(maxEpsilon, "maxEpsilon");
    this.#maxTotal = readLimit(maxTotalEpsilon, "maxTotalEpsilon");
    this.#maxPanel = readLimit(maxPanelEpsilon, "maxPanelEpsilon");
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
    const entries = await this.#state.read();
    const isAnswered = this.#queue.find(entries, name, manifest.id);
    // The most that it can cost, whatever is answered: who takes part must not depend on the answers.
    const rows = await rowsOf(manifest);
    const wave = isAnswered ? undefined : this.#weigh(manifest, rows, entries);
    if (!isAnswered) this.#checkTotal(entries, name, { epsilon: `${manifest.epsilon}`, ...wave?.record });
    await keepEnvelope(this.#state, this.#key, manifest, envelope);
    this.#verified.set(manifest.id, [manifest, rows]);
    return new Survey(manifest, this.#source, await recallFor(manifest, this.#state, this.#key), wave);
  }

  /**
   * Store a report, then send it. For the same report again, send the same bytes or return the earlier receipt.
   * @param {Report} report
   */
  async submit(report) {
    const verified = report instanceof Report && this.#verified.get(report.manifest);
    if (!verified) throw new ReportRefused("this client has not loaded the report's survey: call client.survey first");
    await this.#outbox.postpone(report.id);
    /** @type {Report["charge"]} */
    const charge = (entries) => ({ ...report.charge(entries), ...this.#weigh(...verified, entries)?.record });
    const { survey, manifest, id, body } = report;
    return this.#queue.submit({ survey, manifest, id, body, charge });
  }

  /**
   * Send one of the queued reports, and schedule each of the others for a time of its own within the hour, when a later
   * call sends it: reports that arrive together can be linked to one device. Return a receipt for each.
   *
   * With `waitSeconds`, wait for those times, and for a server that is away or asked for time: all pauses together take
   * at most this long. Without it, nothing waits. `sendTogether` sends all at once and tells the server, and
   * anyone who watches the network, that they come from one device.
   * @param {{ waitSeconds?: number, sendTogether?: boolean }} options
   */
  async flush({ waitSeconds = 0, sendTogether = false } = {}) {
    return this.#outbox.flush(waitSeconds, sendTogether);
  }

  /** Return the receipt of a survey that this state has answered, else null. @param {string} name */
  async receipt(name) {
    const entries = await this.#state.read();
    const entry = this.#queue.find(entries, name);
    return entry ? this.#outbox.receipt(entries, entry) : null;
  }

  /** Return what all reports of this state cost together, as a decimal text. */
  async spent() {
    return String(spentBy(await this.#state.read()));
  }

  /** @param {string} survey @returns {Promise<string | Uint8Array>} */
  async #envelope(survey) {
    try {
      return await this.#fetchEnvelope(survey);
    } catch (error) {
      const isAway = error instanceof ServerUnreachable;
      const envelope = isAway && findEnvelope(await this.#state.read(), this.#key, survey);
      if (!envelope) throw error;
      return envelope;
    }
  }

  /** @param {string} survey */
  async #fetchEnvelope(survey) {
    const { response, body } = await call(this.#server, `${survey}/manifest`, LARGEST_ENVELOPE);
    if (response.status === 200) return body;
    const message = `the server does not provide the survey ${survey} (status ${response.status})`;
    if (isRefusal(response.status)) throw new ServerRefused(`${message}: check its name and the server's address`);
    throw new ServerUnreachable(`${message}: try again later`);
  }

  /**
   * Return a state that stores no report above the cap, and lets all reports wait if the server asked one to.
   * @param {State} state @returns {State}
   */
  #capped(state) {
    return {
      read: () => state.read(),
      update: (change) =>
        state.update((entries) => {
          const entry = change(entries);
          const isNew = entry.id && !entries.some(({ id }) => id === entry.id);
          if (isNew) this.#checkTotal(entries, entry.survey, entry);
          return this.#outbox.rested(entries, entry);
        }),
    };
  }

  /**
   * Refuse a survey with which the most that all can cost would exceed the limit.
   * @param {readonly Entry[]} entries @param {string} survey @param {Partial<Entry>} added
   */
  #checkTotal(entries, survey, added) {
    if (!this.#maxTotal) return;
    const all = /** @type {Entry[]} */ ([...entries, { key: this.#key, ...added }]);
    checkCap(survey, mostSpentBy(all), "maxTotalEpsilon", this.#maxTotal);
  }

  /**
   * Weigh a wave of a panel beside the earlier ones.
   * @param {Manifest} manifest @param {readonly Row[]} rows of its questions @param {readonly Entry[]} entries
   */
  #weigh(manifest, rows, entries) {
    if (manifest.panel === null) return undefined;
    const waves = entries.filter(({ panel }) => panel === manifest.panel);
    const identities = rows.map(([identity]) => identity).filter(Boolean);
    // Another publisher's panel of the same name is another panel, unless it asked the same: then the key changed.
    const same = waves.filter((wave) => wave.rows?.some(([identity]) => identities.includes(identity)));
    const keys = [this.#key, ...same.map(({ key }) => key)];
    const earlier = waves.filter(({ key }) => keys.includes(key));
    return weighWave(manifest, rows, this.#key, earlier, this.#maxPanel ?? undefined);
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

/**
 * Ask for a new connection for each call: two reports on one connection come from one device. Browsers decide that
 * themselves and omit the header.
 * @param {typeof globalThis.fetch} [fetch] @returns {typeof globalThis.fetch}
 */
function onOwnConnection(fetch) {
  return (url, request) => {
    const closing = { ...request, headers: { ...request?.headers, Connection: "close" } };
    return (fetch ?? globalThis.fetch)(url, closing);
  };
}

/** @param {string | number | null | undefined} value @param {string} what */
function readLimit(value, what) {
  return value === null || value === undefined ? null : readEpsilon(value, what);
}

/** @param {string} survey @param {Epsilon} cost @param {string} limit @param {Epsilon} most */
function checkCap(survey, cost, limit, most) {
  if (!cost.exceeds(most)) return;
  const message = `with the survey ${survey} the cost would be epsilon ${cost}, above ${limit} (${most})`;
  throw new EpsilonCapExceeded(`${message}: leave it out, or raise the limit if you must`);
}
