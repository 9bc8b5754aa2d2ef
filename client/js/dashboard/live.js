/** When a page asks for new figures: not while nobody sees it, and ever more rarely while the server does not answer. */
export const EVERY = 15_000;
export const LONGEST = 300_000;
const MINUTE = 60_000;
// A timer of more than 24 days would go off at once.
const MOST_SECONDS = 86_400;

/** @typedef {{ now: () => number, later: (work: () => void, milliseconds: number) => () => void }} Clock */
/** @typedef {{ status: number, page: Document | null, retryAfter: number }} Answer */
/** @typedef {"live" | "paused" | "unreachable" | "signed out" | "over"} State */
/**
 * What surrounds it. `ask` asks for the page, afresh or only for news; `show` returns whether what it shows is live.
 * @typedef {object} World
 * @property {Clock} clock
 * @property {(afresh: boolean) => Promise<Answer>} ask
 * @property {(page: Document) => boolean} show
 * @property {(state: State) => void} tell
 * @property {() => boolean} isVisible
 */

/** A page that updates by itself. */
export class Live {
  /** @type {World} */
  #world;
  /** @type {State} */
  #state;
  #wait = EVERY;
  #due;
  #turn = 0;
  #isAsking = false;
  #cancel = () => {};

  /** @param {World} world @param {boolean} isLive */
  constructor(world, isLive) {
    this.#world = world;
    this.#state = isLive ? "live" : "over";
    this.#due = world.clock.now() + EVERY;
    this.look();
  }

  /** Wait until the next question is due, if somebody sees the page. */
  look() {
    const { clock, isVisible } = this.#world;
    this.#cancel();
    if (this.#isAsking || !isVisible() || !/live|unreachable/.test(this.#state)) return;
    this.#cancel = clock.later(() => this.ask(), Math.max(0, this.#due - clock.now()));
  }

  /** Pause, or go on. */
  toggle() {
    this.#become(this.#state === "paused" ? "live" : "paused");
    this.look();
  }

  /** Ask now. What was asked for later counts; a page that was paused shows only what was asked for afresh. */
  async ask(afresh = false) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#isAsking = true;
    this.#cancel();
    const answer = await this.#world.ask(afresh);
    if (turn !== this.#turn) return;
    this.#isAsking = false;
    if (afresh || this.#state !== "paused") this.#take(answer);
    this.look();
  }

  /** @param {Answer} answer */
  #take({ status, page, retryAfter }) {
    const { clock, show } = this.#world;
    const isGood = status === 304 || (status === 200 && page);
    this.#wait = isGood ? EVERY : Math.min(LONGEST, 2 * this.#wait);
    this.#due = clock.now() + Math.max(this.#wait, 1000 * Math.min(retryAfter, MOST_SECONDS));
    if (status === 401) this.#become("signed out");
    else if (page && isGood && !show(page)) this.#become("over");
    else if (this.#state !== "paused") this.#become(isGood ? "live" : "unreachable");
  }

  /** @param {State} state */
  #become(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#world.tell(state);
  }
}

/**
 * Say at most one thing a minute: of several the last.
 * @param {(text: string) => void} say @param {Clock} clock
 */
export function quietly(say, clock) {
  let silentUntil = 0;
  let cancel = () => {};
  /** @param {string} text */
  return (text) => {
    cancel();
    const speak = () => {
      silentUntil = clock.now() + MINUTE;
      say(text);
    };
    cancel = clock.later(speak, Math.max(0, silentUntil - clock.now()));
  };
}
