/** The shapes that the modules of the form share. No browser loads this file. */
export as namespace F;

import type { Manifest } from "../src/manifest.js";
import type { Design, Question, Recall, Receipt, State } from "../src/types.js";

/** What the server wrote on the page. */
export type Given = Record<"survey" | "key" | "server" | "privacy", string>;

/** An answer as randomizing takes it, and its words. Must never be stored or sent. */
export type Choice = [value: unknown, words: string];
/** Question id → answer. Must never be stored or sent. */
export type Answers = Map<string, Choice>;

/** How many of 100 dots are of the first kind, then a sentence: what leads to both kinds, and each kind. */
export type Odds = [times: number, ...sentence: string[]];

/** What stands on the screen of a question. `read` gives the answer, if it is one; `target` is where it is given. */
export interface Controls {
  nodes: HTMLElement[];
  target: HTMLElement;
  /** What is marked when there is no answer yet; the whole group if not given. */
  marked?: HTMLElement;
  read(): Choice | undefined;
}
/** Make the controls of a question. A question that can be answered with nothing says so on the button that goes on. */
export type Field = (chosen: Choice | undefined, onward: HTMLElement) => Controls;
/** What differs from one type of question to the other. Yes and no if not given. */
export interface Screens {
  /** Of the group of controls. */
  attributes?: Attributes;
  /** What to do about a missing answer. */
  missing?: string;
  field?: Field;
}
/** One screen: a question, or a part of a pair. */
export interface Item extends Screens {
  readonly id: string;
  readonly text: string;
  readonly design: Design;
  /** Warner's if not given. */
  odds?: Odds;
  /** What is said after the odds. */
  more?: string;
}
/** A survey as the form asks it: with screens for its questions, and words about all of them. */
export interface Survey {
  items?: readonly Item[];
  /** What the first screen says besides. */
  notes?: string[];
  /** What the draws in a report mean. */
  sent?: string[];
  /** Derive the memory of repeated questions. */
  remember?: ((manifest: Manifest, state: State, publisher: string) => Promise<Recall>) | undefined;
}

/** A question of any type, or a part of a pair, with what its type has. */
export interface Asked extends Question {
  readonly options?: readonly { id: string; text: string }[];
  readonly extras?: readonly string[];
  readonly labels?: readonly { point: number; text: string }[];
  readonly min?: number | string;
  readonly max?: number | string;
  readonly most?: number | null;
  readonly parts?: readonly Asked[];
}
export type MakeScreen = (part: Asked) => Required<Pick<Screens, "missing" | "field">> & Screens;

/** Put a screen in the place of the one before. */
export type Show = (nodes: Node[], focus?: boolean) => void;
/** Do work that may fail, and say so on a screen if it does. */
export type Run = (work: () => Promise<void>) => void;
export type Visit = (manifest: Manifest, survey: Survey) => Promise<void>;

/** What can stand inside an element. */
type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

export type Make = (name: string, attributes?: Attributes, ...children: Child[]) => HTMLElement;
/** `look`: its class. */
export type Button = (text: string, press: () => void, look?: string) => HTMLElement;
export type Card = (...children: Child[]) => HTMLElement;
export type Radios = (choices: readonly Choice[]) => (chosen?: Choice) => Controls;
export type OddsOf = (item: Item) => Odds;
export type Sentence = (odds: Odds, before?: string, after?: string) => HTMLElement;
/** Sum up the protection: of each answer and of all together, as bands, and the epsilon of all. */
export type Total = (questions: number, each: string, all: string, epsilon: string) => string;
/** `begin`: what the respondent's consent does. */
export type Intro = (
  manifest: Manifest,
  items: readonly Item[],
  notes: string[],
  privacyUrl: string,
  begin: () => void,
) => Node[];
/** A heading, paragraphs and more. */
export type Outcome = (words: string[], ...more: Child[]) => Node[];
/** The body is gone when the report was sent on an earlier visit. */
export type ShowReceipt = (receipt: Receipt, body: string | null, sent: string[], summary: string) => Child[];
export type Conclude = (receipt: Receipt, body: string | null) => void;

export type AskQuestion = (
  items: readonly Item[],
  index: number,
  answers: Answers,
  way: { back: () => void; next: () => void; nextText: string },
) => Node[];
export type Review = (
  items: readonly Item[],
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
