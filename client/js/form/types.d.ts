/** The shapes that the modules of the form share. No browser loads this file. */
import type { AnyQuestion, AskedQuestion, Wave } from "../src/types.js";

/** An answer as it is randomized; undefined means no answer. Must never be stored or sent. */
// biome-ignore lint/suspicious/noExplicitAny: each type of question checks its own
export type Answer = any;
/** An answer to choose, its name, and the label of a point. */
export type Choice = [value: Answer, name: string, label?: string | undefined];

/** One screen: a question, or a part of a pair. */
export interface Item {
  part: AnyQuestion;
  question: AskedQuestion;
}
/** All screens, and what comes before and after them. */
export interface Path {
  items: readonly Item[];
  /** What this device remembers of the panel. */
  wave?: Wave | undefined;
  /** Minutes between two times at which a report may leave; 0 if it leaves at once. */
  minutes: number;
  /** The public labels that the link names, as it names them. */
  group: string | null;
  /** Their code. */
  groups: string;
  send(): void;
}

/** The odds of a question in words. */
export interface Odds {
  /** How many of 100 dots are of the first kind. */
  times: number;
  /** The sentence: an introduction, one part for each kind, and more. */
  parts: readonly string[];
}

/** The named elements of a copied template, and the copy. */
// biome-ignore lint/suspicious/noExplicitAny: elements of all kinds
export type Parts = Record<string, any>;

/** What fills the parts and gaps of a copy: texts, numbers, nodes, properties, or what a press does. */
// biome-ignore lint/suspicious/noExplicitAny: the template decides what fits
export type Filling = Record<string, any>;

/** What is on the screen of a question. `target` is where it is answered. */
export interface Field {
  copy: Node;
  target: HTMLElement;
  /** What is marked when there is no answer yet; the whole group if not given. */
  marked?: HTMLElement;
  /** What to do about a missing answer. */
  missing: string;
  read(): Answer;
}
export type MakeField = (part: AnyQuestion, choices: Choice[], extras: Choice[], answer: Answer) => Field;
/** `name`: the label of the button that goes on. */
export type Attach = (
  parts: Parts,
  part: AnyQuestion,
  on: { keep(answer: Answer): void; name(answer: Answer): string; next(): void },
) => void;
