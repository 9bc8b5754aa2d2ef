/** The shapes that the modules share. No browser loads this file. */
export as namespace T;

import type { Subset } from "./designs/subset.js";
import type { Epsilon } from "./epsilon.js";
import type { Report } from "./report.js";

/** Refuse a value unless it fits. */
export type Need = (fits: unknown, message?: string) => asserts fits;
/** Read JSON: UTF-8 only, no byte order mark, no key twice; `isCompact`: in the one spelling without white space. */
export type Parse = (data: string | Uint8Array, isCompact?: boolean) => unknown;
/** Give the value back if it is a text that fits, else refuse it. */
export type Check = (value: unknown, pattern: RegExp, message: string) => string;
/** Fields of which the values are not checked yet. */
// biome-ignore lint/suspicious/noExplicitAny: each value is checked by its reader
export type Fields = Record<string, any>;
/** Give an object back if it has exactly these keys, in this order. */
export type CheckKeys = (fields: unknown, keys: string) => Fields;
/** Give a list back if it is that long. */
export type CheckList = (value: unknown, least: number, most: number) => readonly unknown[];

/** A place between the ends of a range, or any other number, as a ratio of integers. */
export interface Share {
  top: bigint;
  bottom: bigint;
}
/** The place of a number in its range, or the place of an extra among the extras. */
export type NumberCode = Share | number;
/**
 * An answer as its mechanism takes it: the number of a category, a 1 or 0 for each option that can be ticked, or the
 * place of a number in its range. Must never be stored or sent.
 */
// biome-ignore lint/suspicious/noExplicitAny: a question gives what its mechanism takes
export type Code = any;

/** The numbers of all mechanisms. */
export interface Integers {
  name: string;
  size: number;
  picks: number;
  field: number;
  dimension: number;
  options: number;
  asked: number;
  agree: number;
  most: number;
  inputs: number;
  extras: number;
  steps: number;
  reach: number;
  bins: number;
  half: number;
  threshold: bigint;
  permanent: bigint;
  instant: bigint;
  /** The outputs of a channel; null for those that tell a number from an extra. */
  values: readonly (number | null)[];
  /** The rows of a channel: cumulative thresholds. */
  table: readonly (readonly string[])[];
}
/** Some of the numbers of a mechanism. */
export type Some<K extends keyof Integers> = Pick<Integers, K>;

/** A mechanism with its parameters, as a manifest fixes it. */
export interface Design extends Partial<Omit<Integers, "permanent" | "instant" | "table">> {
  /** The worst ratio of the probabilities of one report under two answers, as "3:1". */
  readonly odds: string;
  readonly epsilon: Epsilon;
  /** What stands for the draw of a question that was not asked. */
  readonly blank: string;
  /** How often in 100 a report lies where the answer puts it, if the mechanism has such places. */
  readonly timesIn100?: number;
  /** The number of reports where the answer puts them, and elsewhere. */
  readonly inside?: number;
  readonly outside?: number;
  /** The draw that is made once for all waves, and the one of each wave. */
  readonly permanent?: Subset;
  readonly instant?: Subset;
  /** The draw of one tick. */
  readonly inner?: Subset;
  /** Tell whether a code is in the domain. */
  holds(code: Code): boolean;
  /** Draw the report to a code of the domain. Its length does not depend on the code, nor does the number of bytes taken. */
  draw(source: ByteSource, code: Code, memos?: readonly Memo[]): Draw;
}
/** A class of designs, and the bounds of its numbers. */
export interface Mechanism {
  readonly bounds: Record<string, readonly (number | bigint)[]>;
  // biome-ignore lint/suspicious/noExplicitAny: the bounds were checked
  new (fields: any, lists: any): Design;
}

/** What the manifest says about a question of any type. */
export interface Asked {
  readonly id: string;
  readonly text: string;
  /** yes_no, single_choice, multi_choice, scale, number or pair. */
  readonly type: string;
  /** What else can be answered: "decline", "does_not_apply". */
  readonly extras: readonly string[];
  /** What can be chosen or ticked. */
  readonly options: readonly { readonly id: string; readonly text: string }[];
  /** The names of some points of a scale. */
  readonly labels: readonly { readonly point: number; readonly text: string }[];
  /** The largest number of ticks; null for as many as there are options. */
  readonly most?: number | null;
  /** The ends of a scale, or of a range of numbers as it was written. */
  readonly min?: number | string;
  readonly max?: number | string;
  /** What is estimated: shares, mean or distribution. */
  readonly report?: string;
  /** The page shows it only after one of these answers to an earlier question. */
  readonly when: readonly [id: string, answers: readonly unknown[]] | null;
  /** All that can be answered, or ticked, in the order of the codes; a number is not among them. */
  readonly answers: readonly unknown[];
  /** The question as the manifest writes it, without what is about the page and the mechanism. */
  readonly spelling: string;
  /** Parts of pairs have none of their own. */
  readonly design: Design;
  /** The number of answers that exclude each other. */
  readonly size?: number;
  /** What an app must answer with; a page need not say it. */
  wants?: string;
}
/** A question, or a part of a pair. */
export interface Question extends Asked {
  /** The two questions of a pair, each answered under its own id. */
  readonly parts?: readonly Question[];
  /** Give the code of an answer; undefined if it is none. */
  code(answer: unknown): Code | undefined;
  /** Give the code of the answers to all parts. */
  // biome-ignore lint/suspicious/noExplicitAny: a question itself, or its parts
  encode(codeOf: (part: any) => Code): Code;
  /** Tell whether a design is for these answers. */
  fits(design: Design): unknown;
}

/** The texts of a survey in another language; without options or labels, those of the survey are shown. */
export interface Translation {
  title: string;
  consent: string;
  questions: Record<string, { text: string; options?: readonly string[]; labels?: readonly string[] }>;
}
/** What the manifest says about the whole survey. */
export interface Head {
  readonly survey: string;
  readonly title: string;
  readonly consent: string;
  readonly population: number | null;
  readonly opens: string | null;
  readonly closes: string | null;
  /** The name of a survey in waves. */
  readonly panel: string | null;
  readonly language: string | null;
  readonly translations: Readonly<Record<string, Translation>>;
  /** The origins that may embed the survey. */
  readonly hosts: readonly string[];
}
/** A survey as it was signed. */
export interface Manifest extends Head {
  /** The SHA-256 of its payload. */
  readonly id: string;
  /** How many of the questions a device is asked; null for all. */
  readonly ask: number | null;
  readonly questions: readonly Question[];
  /** The most that one respondent spends. */
  readonly epsilon: Epsilon;
}

/** Question id → true or false, an option's id, a list of ids, or a number; null is "prefer not to say". */
export type Answers = Readonly<Record<string, boolean | number | string | readonly string[] | null>>;

/** What a draw costs; a remembered one has a tag. */
export interface Cost {
  epsilon: Epsilon;
  tag: string | undefined;
}
/** Give what a report costs beside the entries that there are. */
export type Charge = (entries: readonly Entry[]) => Pick<Entry, "epsilon" | "memos"> & Partial<Wave["kept"]>;
export type ChargeOf = (costs: readonly Cost[], entries: readonly Entry[]) => ReturnType<Charge>;

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
export type ToHex = (bytes: ArrayBuffer | Uint8Array) => string;
export type Bernoulli = (source: ByteSource, threshold: bigint) => number;

/** Anything that hands out random bytes, each byte once. */
export interface ByteSource {
  take(count: number): Uint8Array;
}

/**
 * What became of a report so far. `queued`: it is kept here, call `flush` later. `rejected`: it is not drawn again.
 * `held`: the page keeps it until its moment has come.
 */
export type Status = "held" | "queued" | "accepted" | "duplicate" | "rejected";

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
  /** A verified envelope that is kept for use without the server, in an entry that is no report. */
  envelope?: string;
  /** The report's id. */
  id: string;
  /** The report's bytes while they are still to be sent; deleted as soon as nobody needs them. */
  body: string | null;
  status: Status;
  /** The type of the problem that the server named. */
  problem: string | null;
  /** The time, in ms, before which it is not sent: the server asked for that, or the page holds it. */
  notBefore: number;
  /** The time, in ms, at which `flush` sends it: several that went out together would be linked. */
  due?: number;
  /** Of a wave: its panel, what the panel's first wave could cost, what this one could, and what that was for. */
  panel?: string | null;
  first?: string;
  most?: string;
  rows?: readonly Row[];
}

/** What can cost in a panel: the hash of a repeated question (or the survey, for all else), its epsilon and answers. */
export type Row = [identity: string, epsilon: string, answers: number];
/** A wave beside the earlier ones of its panel. */
export interface Wave {
  /** What an entry keeps of it. Nothing of it depends on an answer. */
  kept: Pick<Entry, "panel" | "first" | "most" | "rows">;
  /** There are earlier waves here. */
  isKnown: boolean;
  /** The repeated questions that were not asked here before as they are now: they cost again. */
  news: readonly Question[];
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

/** Where a server is and how it is called. */
export interface Server {
  url: string;
  /** All surveys of the state are of this server, where a name is one survey: so on a page. */
  isSole?: boolean;
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
export type Post = (server: Server, survey: string, report: string | null) => Promise<Outcome>;
/** What one device owes to one server for the surveys of one publisher. */
export interface Queue {
  /** Find the entry of a survey: by the manifest's id under any key, else by its name. */
  find(entries: readonly Entry[], survey: string, manifest?: string): Entry | undefined;
  /** Give the entry of a survey if it was answered here; refuse a manifest that was changed since. */
  earlier(manifest: Manifest): Promise<Entry | undefined>;
  /** Keep a report, charge what it costs, and send it, but not before a moment in ms. */
  submit(report: Pick<Report, "survey" | "manifest" | "id" | "body" | "charge">, notBefore?: number): Promise<Receipt>;
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
  /** The most that the questions of one panel may cost, each once; 8 or twice its first wave if not given. */
  maxPanelEpsilon?: string | number | null;
  /** Memory if not given: `IndexedDBState` and `FileState` last longer. Each respondent needs a state of their own. */
  state?: State;
  fetch?: typeof globalThis.fetch;
  /** The longest time for one call, in milliseconds. */
  timeout?: number;
  /** The clock, in milliseconds. */
  now?: (() => number) | undefined;
  /** Waits so many milliseconds, for `flush` with patience. */
  sleep?: ((ms: number) => Promise<void>) | undefined;
}

// What classes take over from the fields of a manifest, which they assign without naming each.
declare module "./epsilon.js" {
  interface Design extends Some<"size"> {
    /** Draw, after the code was found in the domain. */
    sample(source: ByteSource, code: Code, memos?: readonly Memo[]): Draw;
  }
}
declare module "./designs/two_weights.js" {
  interface TwoWeights extends Some<"threshold"> {
    inside: number;
    outside: number;
  }
}
declare module "./designs/subset.js" {
  interface Subset extends Some<"size" | "picks"> {}
}
declare module "./designs/projective.js" {
  interface Projective extends Some<"size" | "field" | "dimension"> {}
}
declare module "./designs/ball.js" {
  interface Ball extends Some<"options" | "asked" | "agree"> {}
}
declare module "./designs/padded.js" {
  interface Padded extends Some<"options" | "most"> {}
}
declare module "./designs/channel.js" {
  interface Channel extends Some<"inputs" | "extras" | "values"> {}
}
declare module "./designs/wave.js" {
  interface Wave extends Some<"bins" | "extras"> {}
}
declare module "./designs/laplace.js" {
  interface Laplace extends Some<"steps" | "reach" | "threshold"> {}
}
declare module "./choices.js" {
  interface Question extends Asked {}
}
declare module "./manifest.js" {
  interface Manifest extends Head {
    readonly id: string;
    readonly ask: number | null;
  }
}
declare module "./report.js" {
  interface Report {
    readonly survey: string;
    /** The manifest's id. */
    readonly manifest: string;
    readonly id: string;
    readonly charge: Charge;
  }
}
