/**
 * The client: load a survey, submit a report, send what is still queued.
 *
 * Only a survey that is verified against the pinned key and within the caps can be answered, and only once.
 */

import { keepEnvelope } from "./envelopes.js";
import { AlreadyAnswered, EpsilonCapExceeded, ManifestRefused, need, ReportRefused } from "./errors.js";
import { Events } from "./events.js";
import { Source } from "./fetching.js";
import { Outbox } from "./outbox.js";
import { rowsOf, weighWave } from "./panels.js";
import { remember } from "./permanent.js";
import { openQueue } from "./queue.js";
import { SecureBytes } from "./randomness.js";
import { Report } from "./report.js";
import { pauseFor, Retry } from "./retry.js";
import { mostSpentBy, spentBy } from "./spending.js";
import { MemoryState } from "./state.js";
import { checkOpen } from "./strict/opening.js";
import { alreadyAnswered, tooMuch } from "./strict/refusals.js";
import { checkKey, checkName, readEpsilon } from "./strict/values.js";
import { verifyStrictly } from "./strict/verify.js";
import { Survey } from "./survey.js";
import { careful } from "./transport.js";

/** @import { Epsilon } from "./epsilon.js" */
/** @import { Manifest } from "./manifest.js" */
/** @import { Entry, Options, Queue, Row, State } from "./types.js" */

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

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
  #source;
  #events;
  #retry;
  #now;
  #sleep;
  #bytes = new SecureBytes();
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
      retry,
      onEvent,
      now = Date.now,
      sleep = pauseFor,
    } = Object(options);
    this.#server = { url: checkUrl(url), fetch: careful(fetch), timeout };
    this.#key = checkKey(key);
    this.#max = readEpsilon(maxEpsilon, "maxEpsilon");
    this.#maxTotal = readLimit(maxTotalEpsilon, "maxTotalEpsilon");
    this.#maxPanel = readLimit(maxPanelEpsilon, "maxPanelEpsilon");
    this.#events = new Events(onEvent);
    this.#retry = new Retry(retry);
    this.#now = now;
    this.#sleep = sleep;
    this.#state = state ?? new MemoryState();
    const trying = { retry: this.#retry, events: this.#events, sleep };
    this.#source = new Source(this.#server, this.#key, this.#state, trying);
    this.#queue = openQueue(this.#server, this.#key, this.#capped(this.#state), now);
    this.#outbox = new Outbox(this.#queue, this.#key, this.#state, { now, sleep, retry: this.#retry });
  }

  /**
   * Fetch a survey and verify it; if the server is away, take the manifest that was verified last and verify it again.
   * @param {string} name
   */
  async survey(name) {
    const envelope = await this.#source.envelope(checkName(name));
    const manifest = await verifyStrictly(envelope, this.#key);
    if (manifest.survey !== name) {
      throw new ManifestRefused(`the server sent another survey than ${name}: ask the publisher why`);
    }
    await this.#queue.earlier(manifest);
    checkCap(name, manifest.epsilon, "maxEpsilon", this.#max);
    const entries = await this.#state.read();
    const isAnswered = this.#queue.find(entries, name, manifest.id);
    if (!isAnswered) checkOpen(manifest, this.#now());
    // The most that it can cost, whatever is answered: who takes part must not depend on the answers.
    const rows = await rowsOf(manifest);
    const wave = isAnswered ? undefined : this.#weigh(manifest, rows, entries);
    if (!isAnswered) this.#checkTotal(entries, name, { epsilon: `${manifest.epsilon}`, ...wave?.record });
    await keepEnvelope(this.#state, this.#key, manifest, envelope);
    this.#verified.set(manifest.id, [manifest, rows]);
    return new Survey(manifest, this.#bytes, await recallFor(manifest, this.#state, this.#key), wave);
  }

  /**
   * Store a report, then send it. For the same report again, send the same bytes or return the earlier receipt.
   * @param {Report} report
   */
  async submit(report) {
    const verified = report instanceof Report && this.#verified.get(report.manifest);
    if (!verified) {
      const message = "this client has not loaded the report's survey: call client.survey first";
      throw Object.assign(new ReportRefused(message), { survey: Object(report).survey ?? null });
    }
    await this.#outbox.postpone(report.id);
    /** @type {Report["charge"]} */
    const charge = (entries) => {
      checkOpen(verified[0], this.#now());
      return { ...report.charge(entries), ...this.#weigh(...verified, entries)?.record };
    };
    const { survey, manifest, id, body } = report;
    let receipt = await this.#store({ survey, manifest, id, body, charge });
    for (const pause of this.#retry.between()) {
      if (receipt.status !== "queued" || receipt.retryAfter) break;
      await this.#sleep(pause);
      receipt = await this.#store({ survey, manifest, id, body, charge });
    }
    return receipt;
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

  /** Store a report, or find it there, and send it. @param {Parameters<Queue["submit"]>[0]} report */
  async #store(report) {
    try {
      return await this.#queue.submit(report);
    } catch (error) {
      throw error instanceof AlreadyAnswered ? alreadyAnswered(report.survey) : error;
    }
  }

  /**
   * Return a state that stores no report above the cap, and lets all reports wait if the server asked one to.
   * @param {State} state @returns {State}
   */
  #capped(state) {
    return {
      read: () => state.read(),
      update: async (change) => {
        let [isNew, isChanged] = [false, false];
        const stored = await state.update((entries) => {
          const entry = change(entries);
          isNew = !entries.some(({ id }) => id === entry.id);
          isChanged = !entries.includes(entry);
          if (isNew) this.#checkTotal(entries, entry.survey, entry);
          return this.#outbox.rested(entries, entry);
        });
        if (isChanged) this.#events.record(stored, isNew);
        return stored;
      },
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
    try {
      return weighWave(manifest, rows, this.#key, earlier, this.#maxPanel ?? undefined);
    } catch (error) {
      if (!(error instanceof EpsilonCapExceeded)) throw error;
      const what = `the cost of all waves of the panel ${manifest.panel}`;
      throw tooMuch(manifest.survey, "maxPanelEpsilon", error.epsilon, error.cap, what);
    }
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

/** @param {string | number | null | undefined} value @param {string} what */
function readLimit(value, what) {
  return value === null || value === undefined ? null : readEpsilon(value, what);
}

/** @param {string} survey @param {Epsilon} cost @param {string} limit @param {Epsilon} most */
function checkCap(survey, cost, limit, most) {
  if (cost.exceeds(most)) throw tooMuch(survey, limit, cost, most);
}
