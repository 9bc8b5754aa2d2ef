/**
 * Where a client gets manifests: from the server, or, if that is away, those that it verified last.
 *
 * Nothing here trusts what arrives: whoever takes an envelope verifies it.
 */
import { findEnvelope } from "./envelopes.js";
import { ServerUnreachable } from "./errors.js";
import { call } from "./http.js";
import { noAnswer, notProvided } from "./strict/refusals.js";

/** @import { Events } from "./events.js" */
/** @import { Retry } from "./retry.js" */
/** @import { Server, State } from "./types.js" */

export class Source {
  #server;
  #key;
  #state;
  #retry;
  #events;
  #sleep;

  /**
   * @param {Server} server @param {string} key @param {State} state
   * @param {{ retry: Retry, events: Events, sleep: (ms: number) => Promise<void> }} options
   */
  constructor(server, key, state, { retry, events, sleep }) {
    this.#server = server;
    this.#key = key;
    this.#state = state;
    this.#retry = retry;
    this.#events = events;
    this.#sleep = sleep;
  }

  /** Return the envelope of a survey. @param {string} survey @returns {Promise<string | Uint8Array>} */
  async envelope(survey) {
    const pauses = this.#retry.between();
    for (;;) {
      try {
        return await this.#fetch(survey);
      } catch (error) {
        const isAway = error instanceof ServerUnreachable;
        const stored = isAway && findEnvelope(await this.#state.read(), this.#key, survey);
        if (stored) return stored;
        const pause = pauses.next();
        if (!isAway || error.retryAfter || pause.done) throw error;
        await this.#sleep(pause.value);
      }
    }
  }

  /** @param {string} survey */
  async #fetch(survey) {
    try {
      const envelope = await this.#call(survey);
      this.#events.tell("fetched", survey);
      return envelope;
    } catch (error) {
      const { problem = null } = Object(error);
      this.#events.tell(error instanceof ServerUnreachable ? "failed" : "refused", survey, { problem });
      throw error;
    }
  }

  /** @param {string} survey */
  async #call(survey) {
    const response = await call(this.#server, `${survey}/manifest`).catch((cause) => {
      throw noAnswer(this.#server.url, cause);
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.status === 200) return body;
    throw notProvided(survey, response, body);
  }
}
