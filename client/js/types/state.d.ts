/** What a device remembers, and how it reaches a server: what an app may write itself. */

/**
 * What became of a report so far. `queued`: it is stored here, call `flush` later. `rejected`: it is not drawn again.
 * `held`: the page keeps it until its time has come.
 */
export type Status = "held" | "queued" | "accepted" | "duplicate" | "rejected";

/** What can cost in a panel: the hash of a repeated question (or the survey, for all else), its epsilon and answers. */
export type Row = [identity: string, epsilon: string, answers: number];

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
  /** What the report cost, as a decimal text: remembered draws that were charged earlier cost nothing. */
  epsilon: string;
  /** The tags of the remembered draws that were charged with this report. */
  memos?: readonly string[];
  /** The secret of the device, in hexadecimal, in an entry that is not a report. Must never be sent. */
  secret?: string;
  /** A verified envelope, stored for offline use, in an entry that is not a report. */
  envelope?: string;
  /** The report's id, or "-" where it was deleted. */
  id: string;
  /** The report's bytes while they are still to be sent; deleted as soon as they are no longer needed. */
  body: string | null;
  status: Status;
  /** The type of the problem that the server named. */
  problem: string | null;
  /** The time, in ms, before which it is not sent: the server asked for that, or the page holds it. */
  notBefore: number;
  /** The time, in ms, at which `flush` sends it: reports that are sent together can be linked. */
  due?: number;
  /** Of a wave: its panel, what the panel's first wave could cost, what this one could, and what that was for. */
  panel?: string | null;
  first?: string;
  most?: string;
  rows?: readonly Row[];
}

/** What a device remembers. Each respondent needs a state of their own. */
export interface State {
  /** Return all entries. */
  read(): Promise<readonly Entry[]>;
  /**
   * Call `change` with all entries and durably store the entry that it returns, in place of the one with the same `key`
   * and `survey`; if it throws, store nothing and throw the same.
   *
   * Reading and writing are ONE atomic step, also between tabs or processes that share the state.
   */
  update(change: (entries: readonly Entry[]) => Entry): Promise<Entry>;
}

/** How bytes travel: `fetch`, or a function that is called as it is. It must not follow redirects. */
export type Transport = (url: string, request: RequestInit) => Promise<Response>;

/** Anything that hands out random bytes, each byte once. */
export interface ByteSource {
  take(count: number): Uint8Array;
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
