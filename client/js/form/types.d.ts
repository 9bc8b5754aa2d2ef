/** The shapes that the modules of the form share. No browser loads this file. */
export as namespace F;

import type { Manifest, Question } from "../src/manifest.js";
import type { Queue, Receipt } from "../src/types.js";

/** What the server wrote on the page. */
export type Given = Record<"survey" | "key" | "server" | "privacy", string>;

/** Question id → true or false. Must never be stored or sent. */
export type Answers = Map<string, boolean>;

/** What a visit needs. */
export interface Page {
  /** Put a screen in the place of the one before. */
  show(nodes: Node[], focus?: boolean): void;
  /** Do work that may fail, and say so on a screen if it does. */
  run(work: () => Promise<void>): void;
  privacyUrl: string;
  queue: Queue;
  manifest: Manifest;
}

/** One respondent's visit: the first screen, or what became of the report that this device made before. */
export type Visit = (page: Page) => Promise<void>;

/** What can stand inside an element. */
type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

/** Make an element, of HTML or of a drawing. */
export type Make = (name: string, attributes?: Attributes, ...children: Child[]) => HTMLElement;
/** `look`: its class. */
export type Button = (text: string, press: () => void, look?: string) => HTMLElement;
export type Card = (...children: Child[]) => HTMLElement;
/** Sum up the protection: of each answer and of all together, as bands, and the epsilon of all. */
export type Total = (questions: number, each: string, all: string, epsilon: string) => string;
/** `begin`: what the respondent's consent does. */
export type Intro = (manifest: Manifest, privacyUrl: string, begin: () => void) => Node[];
/** A heading, paragraphs and more. */
export type Outcome = (words: string[], ...more: Child[]) => Node[];
/** The body is gone when the report was sent on an earlier visit. */
export type ShowReceipt = (receipt: Receipt, body: string | null, summary: string) => Child[];
export type Conclude = (receipt: Receipt, body: string | null) => void;

export type AskQuestion = (
  questions: readonly Question[],
  index: number,
  answers: Answers,
  way: { back: () => void; next: () => void; nextText: string },
) => Node[];
export type Review = (
  questions: readonly Question[],
  answers: Answers,
  way: { change: (index: number) => void; back: () => void; send: () => void },
) => Node[];
/** The frame of a question and of the review. */
export type Screen = (
  progress: string,
  value: number,
  max: number,
  content: Node,
  back: () => void,
  onward: Node,
) => Node[];
