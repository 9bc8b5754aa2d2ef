/** Hushpoll for browsers, workers and Node 20 or later. Written by hand: test/declarations.ts compares the modules. */
import type { About, Answers, Question as AnyQuestion, Groups, Translation } from "./questions.js";
import type { ByteSource, Entry, Receipt, State, Status, Transport } from "./state.js";

export * from "./errors.js";
export type * from "./questions.js";
export type * from "./state.js";

/** A question, or a part of a pair, of whatever type. */
export type Question = AnyQuestion;
/** The class of all questions, for `instanceof`. */
export declare const Question: abstract new (...fields: never) => Pick<AnyQuestion, "id" | "text" | "extras">;

/** Epsilon as an exact number. */
export declare class Epsilon {
  constructor(units: bigint);
  /** Read a stated epsilon: a number, or a text such as "0.75" or "3/4". */
  static parse(value: unknown): Epsilon;
  /** Return ln(a/b), rounded up, for odds of at least 1. */
  static ofOdds(a: bigint, b: bigint): Epsilon;
  /** In units of 10^-20. */
  readonly units: bigint;
  plus(other: Epsilon): Epsilon;
  exceeds(other: Epsilon): boolean;
  /** The strength of the protection in words. */
  get band(): string;
  toString(): string;
}

/** A survey as it was signed. Frozen. */
export declare class Manifest {
  private constructor(...given: unknown[]);
  readonly survey: string;
  readonly title: string;
  readonly consent: string;
  readonly population: number | null;
  /** Times as the manifest writes them, in UTC. */
  readonly opens: string | null;
  readonly closes: string | null;
  /** How many of the questions a device is asked; null for all. */
  readonly ask: number | null;
  /** The name of a survey in waves. */
  readonly panel: string | null;
  readonly language: string | null;
  readonly translations: Readonly<Record<string, Translation>>;
  /** The origins that may embed the survey. */
  readonly hosts: readonly string[];
  /** Who asks, and what comes after Send. */
  readonly about?: About;
  /** The public labels of reports. */
  readonly groups?: Groups;
  readonly questions: readonly AnyQuestion[];
  /** The most that one respondent spends. */
  readonly epsilon: Epsilon;
  /** The SHA-256 of what was signed. */
  readonly id: string;
}

/** What a device sends: draws, never answers. */
export declare class Report {
  private constructor(...given: unknown[]);
  readonly survey: string;
  /** The manifest's id. */
  readonly manifest: string;
  readonly id: string;
  /** The text that is sent. */
  readonly body: string;
}

/** A survey that was verified against the key of its publisher. */
export declare class Survey {
  private constructor(...given: unknown[]);
  readonly manifest: Manifest;
  /** Whether this state answered an earlier wave of the panel. If not, someone who took part before pays again. */
  readonly knowsPanel: boolean;
  /** The ids of repeated questions that are new to this state in a panel that it knows: they cost again. */
  readonly newQuestions: readonly string[];
  /**
   * Draw the report to these answers: nothing is kept, nothing is sent.
   *
   * Call it once for each respondent: a second draw of the same answers spends epsilon again. `groups` are the public
   * labels of this respondent, at most one of each dimension: they are sent as they are, so show them before you ask.
   */
  randomize(answers: Readonly<Answers>, options?: { groups?: readonly string[] }): Report;
}

/** How often a call tries a server that does not ask for time. Every try of a report sends the same bytes. */
export interface RetryOptions {
  /** The requests of one call of `survey` or `submit`; 1 if not given, and then nothing waits. */
  attempts?: number;
  /** Each pause, in ms, is about twice the one before, from the first up to the longest, and randomized up to twice that. */
  firstPause?: number;
  longestPause?: number;
}

/**
 * One step on the way of a survey or a report. It has no place for an answer, a draw or the id of a report.
 *
 * `fetched`: a manifest arrived. `queued`: a report was stored and charged. `sent`: the server has it. `failed`: there was
 * no usable response; the same can be sent again. `refused`: the server will not accept it.
 */
export interface ClientEvent {
  readonly name: "fetched" | "queued" | "sent" | "failed" | "refused";
  readonly survey: string;
  /** Of the report; null for a manifest. */
  readonly status: Status | null;
  /** The type of the problem that the server named. */
  readonly problem: string | null;
}

export interface Options {
  /** The publisher's public key, "ed25519:…": get it from the publisher, not from the server. */
  key: string;
  /** The most that one survey may cost; "4" if not given. */
  maxEpsilon?: string | number;
  /** The most that all surveys of this state may cost together; no limit if not given. */
  maxTotalEpsilon?: string | number | null;
  /** The most that the questions of one panel may cost, each once; 8 or twice its first wave if not given. */
  maxPanelEpsilon?: string | number | null;
  /** Memory if not given: `IndexedDBState` and `FileState` last longer. Each respondent needs a state of their own. */
  state?: State;
  /** The platform's if not given. */
  fetch?: Transport;
  /** The longest time for one call, in milliseconds; 30,000 if not given. */
  timeout?: number;
  retry?: RetryOptions;
  /** Is told what happened, for a log. What it throws is ignored. */
  onEvent?: (event: ClientEvent) => void;
  /** The clock, in milliseconds. */
  now?: (() => number) | undefined;
  /** Waits for some milliseconds, for `retry` and for `flush` with `waitSeconds`. */
  sleep?: ((ms: number) => Promise<void>) | undefined;
}

/** One device's access to one server. */
export declare class Client {
  constructor(url: string, options: Options);
  /**
   * Fetch a survey and verify it; if the server is away, take the one that was verified last and verify it again.
   *
   * A survey that is not open is refused, unless this state has answered it.
   */
  survey(name: string): Promise<Survey>;
  /** Store a report, then send it. For the same report again, send the same bytes or return the earlier receipt. */
  submit(report: Report): Promise<Receipt>;
  /**
   * Send one of the queued reports, and schedule each of the others for a time of its own within the hour.
   *
   * `waitSeconds` limits all pauses together, 0 if not given. `sendTogether` sends all at once: they can be linked.
   */
  flush(options?: { waitSeconds?: number; sendTogether?: boolean }): Promise<Receipt[]>;
  /** Return the receipt of a survey that this state has answered, else null. */
  receipt(name: string): Promise<Receipt | null>;
  /** Return what all reports of this state cost together, as a decimal text. */
  spent(): Promise<string>;
}

/** A state that lasts as long as the object. */
export declare class MemoryState implements State {
  read(): Promise<readonly Entry[]>;
  update(change: (entries: readonly Entry[]) => Entry): Promise<Entry>;
}
/** A state in the browser's IndexedDB, shared by the tabs and workers of one origin. */
export declare class IndexedDBState implements State {
  read(): Promise<readonly Entry[]>;
  update(change: (entries: readonly Entry[]) => Entry): Promise<Entry>;
  /** Delete entries. Whoever answers again then is not recognized: two reports of one person protect less than one. */
  forget(isForgotten: (entry: Entry) => unknown): Promise<void>;
}
/** Bytes from the platform's cryptographic source. */
export declare class SecureBytes implements ByteSource {
  take(count: number): Uint8Array;
}

/** The permanent draw of an answer, and the tag that shows whether it was charged. Neither must ever be sent. */
export interface Memo {
  code: number;
  tag: string;
}
/** Return the memory of the device that answers (question id → memos); one without a memory takes a secret from the source. */
export type Recall = (source: ByteSource) => Map<string, readonly Memo[]>;

/** Draw the report to answers, for tests and for programs that do their own sending. Every call is a new draw. */
export declare function randomize(
  manifest: Manifest,
  answers: Readonly<Answers>,
  source?: ByteSource,
  recall?: Recall,
  groups?: readonly string[],
): Report;
/**
 * Return the manifest of an envelope that is signed by the pinned key.
 *
 * With null, the key that the envelope itself names is used: that proves only that nothing was changed after signing.
 */
export declare function verify(envelope: string | Uint8Array, pinnedKey: string | null): Promise<Manifest>;
