/** The shapes that the modules share. No browser loads this file. */
export as namespace T;

import type { Epsilon } from "./core.js";
import type { Manifest } from "./manifest.js";
import type { Report } from "./report.js";

export type { Manifest };

/** Refuse a value unless it fits. */
export type Need = (fits: unknown, message: string) => asserts fits;
/** Tell an object from lists, null and plain values. */
export type IsObject = (value: unknown) => value is Record<string, unknown>;
/** Read JSON: UTF-8 only, no byte order mark, no key twice. */
export type Parse = (data: string | Uint8Array) => unknown;
/** Give the value back if it is a text that fits, else refuse it. */
export type Check = (value: unknown, pattern: RegExp, message: string) => string;
/** Give an object back if it has exactly these keys, in this order. */
// biome-ignore lint/suspicious/noExplicitAny: each value is checked by its reader
export type CheckKeys = (fields: unknown, keys: string) => Record<string, any>;

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
/** Question id → what was drawn. */
export type Draws = Record<string, number>;
/** Take from an unsigned 32-bit number; without a branch. */
export type Borrow = (x: number, y: number, carry: number) => number;
/** Draw the report to a code. */
export type Draw = (source: ByteSource, code: number) => number;
export type ToHex = (bytes: ArrayBuffer | Uint8Array) => string;
export type Bernoulli = (source: ByteSource, threshold: bigint) => number;
/** `answers`: question id → answer. */
export type Randomize = (manifest: Manifest, answers: unknown, source?: ByteSource) => Report;
/** Give the code of each answer, in the manifest's order. */
export type Encode = (manifest: Manifest, answers: unknown) => number[];

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
  /** What the report costs, as a decimal text. */
  epsilon: string;
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
  /** Keep a report and send it; `allow` throws if it must not be kept beside the entries that there are. */
  submit(report: Report, cost: Epsilon, allow?: (entries: readonly Entry[]) => void): Promise<Receipt>;
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
