/** The shapes that the modules share. No browser loads this file. */
export as namespace T;

import type { Epsilon } from "./core.js";
import type { Subset } from "./designs/subset.js";
import type { Manifest } from "./manifest.js";
import type { Report } from "./report.js";

export type { Manifest };

/** Refuse a value unless it fits. */
export type Need = (fits: unknown, message: string) => asserts fits;
/** Read JSON: UTF-8 only, no byte order mark, no key twice; `isCompact`: in the one spelling without white space. */
export type Parse = (data: string | Uint8Array, isCompact?: boolean) => unknown;
/** Give the value back if it is a text that fits, else refuse it. */
export type Check = (value: unknown, pattern: RegExp, message: string) => string;
/** Fields of which the keys are checked, but not yet the values. */
// biome-ignore lint/suspicious/noExplicitAny: each value is checked by its reader
export type Fields = Record<string, any>;
/** Give an object back if it has exactly these keys, in this order. */
export type CheckKeys = (fields: unknown, keys: string) => Fields;
/** Give the fields of a mechanism that has this name, and these keys between the name and the claims. */
export type ReadFields = (fields: unknown, name: string, keys: string) => Fields;
/** Give a list back if it is that long. */
export type CheckList = (value: unknown, least: number, most: number) => readonly unknown[];

/**
 * Give the manifest of an envelope that is signed by the pinned key.
 *
 * With null, by the key that it names itself: that proves only that nothing was changed after signing.
 */
export type Verify = (envelope: string | Uint8Array, pinnedKey: string | null) => Promise<Manifest>;
/** Check the signature of a payload. */
export type IsSignature = (
  signature: Uint8Array<ArrayBuffer>,
  payload: Uint8Array<ArrayBuffer>,
  key: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;
/** A place between the ends of a range, or any other number, as a ratio of integers. */
export interface Share {
  top: bigint;
  bottom: bigint;
}
/**
 * An answer as its mechanism takes it: the number of a category, a 1 or 0 for each option that can be ticked, or the
 * place of a number in its range. Must never be stored or sent.
 */
/** The place of a number in its range, or the place of an extra among the extras. */
export type NumberCode = Share | number;
export type Code = number | readonly number[] | Share;

/** A mechanism with its parameters, as a manifest fixes it. */
export interface Design {
  /** The worst ratio of the probabilities of one report under two answers, as "3:1". */
  readonly odds: string;
  readonly epsilon: Epsilon;
  /**
   * How often in 100 a report lies where the answer puts it. Designs without such places: how often, at most, the
   * report lets somebody choose rightly between two answers that were equally likely.
   */
  readonly timesIn100: number;
  /** Draw the report to a code. Its length does not depend on the code, nor does the number of bytes taken. */
  draw(source: ByteSource, code: Code, memos?: readonly Memo[]): Draw;
  /** What stands for the draw of a question that was not asked. */
  readonly blank?: string;
  /** The number of categories. */
  readonly size?: number;
  /** The number of options that can be ticked. */
  readonly options?: number;
  /** The largest number of ticks. */
  readonly most?: number;
  /** The number of answers beside numbers: prefer not to say, does not apply. */
  readonly extras?: number;
  /** The number of grid points. */
  readonly inputs?: number;
  /** The draw that is made once for all waves. */
  readonly permanent?: Subset;
}

/** What is asked under one id. */
export interface Part {
  readonly id: string;
  /** What an app must answer with. */
  readonly wants: string;
  /** Give the code of an answer; undefined if it is none. */
  code(answer: unknown): Code | undefined;
}
/** A question of any type; the classes of `questions.js` tell what each has besides. */
export interface Question extends Part {
  readonly text: string;
  readonly type: string;
  readonly design: Design;
  /** The question as the manifest writes it, without its mechanism; only in format 2. */
  readonly spelling?: string;
  /** Give the code of the answers to all parts, if the question has parts. */
  encode?(codeOf: (part: Part) => Code): Code;
}

/** What the formats of a manifest have different. */
export interface Content {
  questions: Question[];
  /** What must be unique, if not just the questions' ids. */
  ids?: string[];
  ask?: number | null;
  panel?: string | null;
  draw?: DrawAll;
}
/** Draw all reports of a survey, and tell what they cost. */
export type DrawAll = (source: ByteSource, codes: readonly Code[], recall?: Recall) => [Draw[], Charge];
/** Give what a report costs beside the entries that there are. */
export type Charge = (entries: readonly Entry[]) => Pick<Entry, "epsilon" | "memos">;

/** The permanent draw of an answer, and the tag that tells whether it was paid for. Neither must ever be sent. */
export interface Memo {
  code: number;
  tag: string;
}
/** Question id → the memos of all possible answers. */
export type Memory = Map<string, readonly Memo[]>;
/** Give the memory of the device that answers; one without a memory takes a secret from the source. */
export type Recall = (source: ByteSource) => Memory;

/** What is sent: 0 or 1 for a plain yes/no question, else a text. */
export type Draw = number | string;
/** Take from an unsigned 32-bit number; without a branch. */
export type Borrow = (x: number, y: number, carry: number) => number;
/** Draw the report to a yes or no. */
export type DrawBit = (source: ByteSource, code: number) => number;
export type ToHex = (bytes: ArrayBuffer | Uint8Array) => string;
export type Bernoulli = (source: ByteSource, threshold: bigint) => number;
/** `answers`: question id → answer. `recall` is for surveys with repeated questions. */
export type Randomize = (manifest: Manifest, answers: unknown, source?: ByteSource, recall?: Recall) => Report;
/** Give the code of each answer, in the manifest's order. */
export type Encode = (questions: readonly Question[], answers: unknown) => Code[];

/** Anything that hands out random bytes, each byte once. */
export interface ByteSource {
  take(count: number): Uint8Array;
}

/** What became of a report so far. `queued`: it is kept here, call `flush` later. `rejected`: it is not drawn again. */
export type Status = "queued" | "accepted" | "duplicate" | "rejected";

/**
 * One report that this device made: queue and ledger at once.
 *
 * A survey (its publisher's key and its name) has one entry for ever. An entry holds draws, never answers.
 */
export interface Entry {
  /** The publisher's key. */
  key: string;
  survey: string;
  /** The manifest's id. */
  manifest: string;
  /** What the report cost, as a decimal text: remembered draws that were paid for earlier cost nothing. */
  epsilon: string;
  /** The tags of the remembered draws that this report paid for. */
  memos?: readonly string[];
  /** The secret of the device, in hexadecimal, in an entry that is no report. Must never be sent. */
  secret?: string;
  /** The report's id. */
  id: string;
  /** The report's bytes while they are still to be sent; deleted as soon as nobody needs them. */
  body: string | null;
  status: Status;
  /** The type of the problem that the server named. */
  problem: string | null;
  /** The time, in ms, before which the server asked not to be tried again. */
  notBefore: number;
}

/** What a device remembers. */
export interface State {
  /** Give all entries. */
  read(): Promise<readonly Entry[]>;
  /**
   * Give all entries to `change` and keep, durably, the entry that it returns; if it throws, keep nothing.
   *
   * Reading and writing are ONE atomic step, also between tabs or processes that share the state.
   */
  update(change: (entries: readonly Entry[]) => Entry): Promise<Entry>;
}

/** How IndexedDB is read and changed in one transaction. */
export type Run = <R>(mode: IDBTransactionMode, work: (entries: Entry[], store: IDBObjectStore) => R) => Promise<R>;

/** Where a server is and how it is called. */
export interface Server {
  url: string;
  /** The platform's if not given. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The longest time for one call, in milliseconds; 30,000 if not given. */
  timeout?: number | undefined;
}

export type Call = (
  server: Server,
  path: string,
  most: number,
  request?: RequestInit,
) => Promise<{ response: Response; body: Uint8Array }>;
export type Post = (server: Server, survey: string, report: string) => Promise<Outcome>;
/** What one device owes to one server for the surveys of one publisher. */
export interface Queue {
  /** Find the entry of a survey. */
  find(entries: readonly Entry[], survey: string): Entry | undefined;
  /** Give the entry of a survey if it was answered here; refuse a manifest that was changed since. */
  earlier(manifest: Manifest): Promise<Entry | undefined>;
  /** Keep a report, charge what it costs, and send it. */
  submit(report: Report): Promise<Receipt>;
  /** Send an entry, unless that is done, under way or too early. */
  send(entry: Entry): Promise<Receipt>;
  receipt(entry: Entry): Receipt;
}
export type OpenQueue = (server: Server, key: string, state: State, now?: () => number) => Queue;

/** What became of a report, and how many seconds to leave the server alone. */
export interface Outcome {
  status: Status;
  problem: string | null;
  wait: number;
}

export interface Receipt {
  status: Status;
  survey: string;
  /** The report's id. */
  id: string;
  /** The type of the problem that the server named. */
  problem?: string;
  /** Seconds before which it will not be sent again. */
  retryAfter?: number;
}

export interface Options {
  /** The publisher's public key, "ed25519:…": get it from the publisher, not from the server. */
  key: string;
  /** The most that one survey may cost; "4" if not given. */
  maxEpsilon?: string | number;
  /** The most that all surveys of this state may cost together; no limit if not given. */
  maxTotalEpsilon?: string | number | null;
  /** Memory if not given: `IndexedDBState` and `FileState` last longer. Each respondent needs a state of their own. */
  state?: State;
  fetch?: typeof globalThis.fetch;
  /** The longest time for one call, in milliseconds. */
  timeout?: number;
  /** The clock, in milliseconds. */
  now?: () => number;
}
