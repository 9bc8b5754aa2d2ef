/** The shapes that the modules share. No browser loads this file. */
import type { Epsilon } from "./epsilon.js";
import type { Manifest } from "./manifest.js";
import type { Design } from "./mechanisms/design.js";
import type { Question } from "./question_types/question.js";
import type { Report } from "./report.js";

// What apps see, too, is written there.
export type { AnswerProblem } from "../types/errors.js";
export type { ClientEvent, Memo, Options, Recall, RetryOptions } from "../types/index.js";
export type { About, Answers, Extra, Groups, Label, Option, Told, Translation, When } from "../types/questions.js";
export type { ByteSource, Entry, Receipt, Row, State, Status, Transport } from "../types/state.js";

import type { AnswerProblem, Closure, OverCap, Refusal } from "../types/errors.js";
import type { Memo } from "../types/index.js";
import type { About, Extra, Groups, Label, Option, Told, Translation, When } from "../types/questions.js";
import type { ByteSource, Entry, Receipt, Status, Transport } from "../types/state.js";

/** Fields whose values are not checked yet. */
// biome-ignore lint/suspicious/noExplicitAny: each value is checked by its reader
export type Fields = Record<string, any>;

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

/** What can be randomized. */
export interface Domain {
  /** Return whether a code is in the domain. */
  holds(code: Code): boolean;
  /** Return whether a design on this domain can randomize the answers of another. */
  covers(other: Domain): boolean;
}

/** A sentence of a mechanism's words by its key, with what fills its gaps. */
export interface Sentence {
  key: string;
  /** Written as they are. */
  values?: Record<string, number>;
  /** How often out of 100. */
  times?: Record<string, number>;
  /** Sentences of their own. */
  phrases?: Record<string, Sentence>;
}

/** The words of one language (client/js/words), by their keys: texts, lists of texts, texts by name. */
// biome-ignore lint/suspicious/noExplicitAny: a test compares the keys and gaps of all languages
export type Words = Record<string, any>;

/** The parameters of a mechanism: thresholds over 2^64, and sizes. */
export type DesignParameters<K extends string> = {
  readonly [P in K]: P extends "threshold" | "permanent" | "instant" ? bigint : number;
};
/** The least and the largest value of a parameter; bigints for those that are written as texts. */
export type Bounds = readonly (number | bigint)[];
/** What every mechanism's design has in addition to the common part. */
export interface AnyDesign extends Design {
  /** Draw for a code that was checked to be in the domain. */
  // biome-ignore lint/suspicious/noExplicitAny: only repeated draws need memos, and they have them
  sample(source: ByteSource, code: Code, memos?: any): string;
  /** Return the sentence that puts the odds into whole numbers out of 100. */
  oddsSentence(): Sentence;
  /** Return the sentence that says what the report contains for a question of this type. */
  sentSentence(type: string): Sentence;
}
/** A class of designs: its name in manifests, and the bounds of its parameters in the order of a manifest. */
export interface Mechanism {
  readonly NAME: string;
  readonly bounds: Record<string, Bounds>;
  // biome-ignore lint/suspicious/noExplicitAny: the bounds were checked
  new (parameters: any, fields: Fields): AnyDesign;
}

/** What a question takes from the manifest, and what follows from it. */
interface QuestionFields {
  readonly id: string;
  readonly text: string;
  /** yes_no, single_choice, multi_choice, scale, number or pair. */
  // biome-ignore lint/suspicious/noExplicitAny: apps narrow a question by it, the classes here do not
  readonly type: any;
  readonly extras: readonly Extra[];
  /** What can be chosen or ticked. */
  options: readonly Option[];
  /** The names of some points of a scale. */
  labels: readonly Label[];
  /** The ends of a scale, or of a range of numbers as they were written. */
  readonly min?: number | string;
  readonly max?: number | string;
  /** The largest number of ticks; null for as many as there are options. */
  readonly most?: number | null;
  /** What is estimated for a scale or a number: shares, mean or distribution. */
  readonly report?: string;
  /** All that can be answered, or ticked, in the order of the codes, extras last; none where they cannot be listed. */
  answers: readonly unknown[];
}

/** What every type of question has in addition to the common part. */
export interface AnyQuestion extends Question {
  /** The two questions of a pair, each answered under its own id. */
  readonly parts?: readonly AnyQuestion[];
  /** The page shows it only after one of these answers to an earlier question; parts of pairs have none. */
  readonly when?: When | null;
  /** All possible answers. */
  readonly domain: Domain;
  /** Return the code of an answer; undefined if there is none. */
  code(answer: unknown): Code | undefined;
}
/** A question of a manifest, with the design that randomizes it. */
export interface AskedQuestion extends AnyQuestion {
  readonly when: When | null;
  readonly design: AnyDesign;
}
/** A manifest as apps have it: its questions say what people are told about them. */
export interface ToldManifest extends Manifest {
  readonly questions: readonly (AskedQuestion & { readonly told: (language: string) => Promise<Told> })[];
}
/** A class of questions: its name in manifests, and the fields that it has there after id, text and type. */
export interface QuestionType {
  readonly NAME: string;
  readonly fields: readonly string[];
  new (fields: Fields): AnyQuestion;
}

/** What the manifest says about the whole survey. */
interface Head {
  readonly survey: string;
  readonly title: string;
  readonly consent: string;
  readonly population: number | null;
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
}

/** What a report says about itself, in addition to its draws. */
export interface ReportHead {
  readonly survey: string;
  /** The manifest's id. */
  readonly manifest: string;
  readonly id: string;
  /** The code of its public labels, in surveys with groups. */
  readonly groups?: string;
}

/** What a draw costs; a remembered one has a tag. */
export interface Cost {
  epsilon: Epsilon;
  tag: string | undefined;
}
/** Return what a report costs, given the existing entries. */
export type Charge = (entries: readonly Entry[]) => Pick<Entry, "epsilon" | "memos"> & Partial<Wave["record"]>;
export type ChargeOf = (costs: readonly Cost[], entries: readonly Entry[]) => ReturnType<Charge>;

/** Question id → the memos of all possible answers. */
export type Memory = Map<string, readonly Memo[]>;
/** A wave together with the earlier ones of its panel. */
export interface Wave {
  /** What an entry stores of it. None of it depends on an answer. */
  record: Pick<Entry, "panel" | "first" | "most" | "rows">;
  /** Whether this device answered earlier waves. */
  isKnown: boolean;
  /** The repeated questions that were not asked here before as they are now: they cost again. */
  newQuestions: readonly Question[];
}

/** Where a server is and how it is called. */
export interface Server {
  url: string;
  /** Whether all surveys of the state are of this server, where each name is one survey, as on a page. */
  isSole?: boolean;
  /** Whether the id of a report is deleted from the state once the server has decided about it. */
  isForgetful?: boolean;
  /** The platform's if not given. */
  fetch?: Transport | undefined;
  /** The longest time for one call, in milliseconds; 30,000 if not given. */
  timeout?: number | undefined;
}

/** The reports of one device for one server and the surveys of one publisher. */
export interface Queue {
  /** Find the entry of a survey: by the manifest's id under any key, else by its name. */
  find(entries: readonly Entry[], survey: string, manifest?: string): Entry | undefined;
  /** Return the entry of a survey if it was answered here; refuse a manifest that was changed since. */
  earlier(manifest: Manifest): Promise<Entry | undefined>;
  /** Store a report, charge what it costs, and send it, but not before a time in ms. */
  submit(report: Pick<Report, "survey" | "manifest" | "id" | "body" | "charge">, notBefore?: number): Promise<Receipt>;
  /** Send an entry, unless that is done, under way or too early. */
  send(entry: Entry): Promise<Receipt>;
  receipt(entry: Entry): Receipt;
}

/** What became of a report, and how many seconds to leave the server alone. */
export interface Outcome {
  status: Status;
  problem: string | null;
  wait: number;
}

// What classes assign without naming each field.
declare module "./question_types/question.js" {
  interface Question extends QuestionFields {}
}
declare module "./errors.js" {
  interface AnswerRefused {
    readonly problems: readonly AnswerProblem[];
  }
  interface SurveyNotOpen extends Closure {}
  interface ReportRefused {
    readonly survey: string | null;
  }
  interface EpsilonCapExceeded extends OverCap {}
  interface ServerUnreachable {
    readonly status: number | null;
    readonly retryAfter: number | null;
  }
  interface ServerRefused extends Refusal {}
}
declare module "./manifest.js" {
  interface Manifest extends Head {}
}
declare module "./report.js" {
  interface Report extends ReportHead {}
}
