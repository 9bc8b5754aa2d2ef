/** What a survey asks, as its signed manifest says it: questions narrow by their `type`. */

export interface Option {
  readonly id: string;
  readonly text: string;
}

/** The name of a point of a scale. */
export interface Label {
  readonly point: number;
  readonly text: string;
}

/** What can be answered besides: "prefer not to say" (answer with null) and "does not apply". */
export type Extra = "decline" | "does_not_apply";

/** The id of an earlier question, and the answers to it after which this one makes sense. */
export type When = readonly [id: string, answers: readonly unknown[]];

/** What every part of a survey has that is answered under an id of its own. */
interface Asked {
  readonly id: string;
  readonly text: string;
  readonly extras: readonly Extra[];
}
export interface YesNoPart extends Asked {
  readonly type: "yes_no";
}
export interface SingleChoicePart extends Asked {
  readonly type: "single_choice";
  readonly options: readonly Option[];
}
export interface MultiChoicePart extends Asked {
  readonly type: "multi_choice";
  readonly options: readonly Option[];
  /** The largest number of ticks; null for as many as there are options. */
  readonly most: number | null;
}
export interface ScalePart extends Asked {
  readonly type: "scale";
  readonly min: number;
  readonly max: number;
  readonly labels: readonly Label[];
  readonly report: "shares" | "mean";
}
export interface NumberPart extends Asked {
  readonly type: "number";
  /** As they were written: `Number(min)` is the number. */
  readonly min: string;
  readonly max: string;
  readonly report: "mean" | "distribution";
}

/** A question, or a part of a pair: what is answered under its own id. */
export type Part = YesNoPart | SingleChoicePart | MultiChoicePart | ScalePart | NumberPart;

/** What the form tells about one question, in one language. */
export interface Told {
  /** Under the question: chance may change the answer. */
  readonly short: string;
  /** Names what leads to the odds. */
  readonly how: string;
  /** How often the draw is the answer, in whole numbers out of 100. */
  readonly odds: string;
  /** What the report holds for the question. */
  readonly sent: string;
  /** The sentences' own language, which may be another one than was asked for: for the attribute `lang`. */
  readonly language: string;
  readonly direction: "ltr" | "rtl";
}

/** What a question of a manifest has, and a part of a pair does not. */
interface Reported {
  /** Null if everybody is asked. */
  readonly when: When | null;
  /**
   * Return the sentences that the form shows about the question, in the language of a tag such as "de-AT".
   *
   * A language that Hushpoll does not have takes the words of its primary language, else English. They are loaded when
   * they are first needed.
   */
  readonly told: (language: string) => Promise<Told>;
}
export type YesNoQuestion = YesNoPart & Reported;
export type SingleChoiceQuestion = SingleChoicePart & Reported;
export type MultiChoiceQuestion = MultiChoicePart & Reported;
export type ScaleQuestion = ScalePart & Reported;
export type NumberQuestion = NumberPart & Reported;
/** Two questions that are reported as one: `parts` are answered, the pair itself is not. */
export interface PairQuestion extends Asked, Reported {
  readonly type: "pair";
  readonly parts: readonly (YesNoPart | SingleChoicePart | ScalePart)[];
}

/** A question of a manifest; `type` tells which. */
export type Question =
  | YesNoQuestion
  | SingleChoiceQuestion
  | MultiChoiceQuestion
  | ScaleQuestion
  | NumberQuestion
  | PairQuestion;
export type QuestionKind = Question["type"];

/** Who asks, and what comes after Send. */
export interface About {
  readonly organisation?: string;
  /** A page or a mailbox. */
  readonly contact?: string;
  /** The organisation's own privacy page. */
  readonly privacy?: string;
  readonly thanks?: string;
  /** A page that the thanks lead to. */
  readonly link?: string;
  /** A picture, as a data URL. */
  readonly logo?: string;
  /** The colour of buttons and links, as "#0f5c66". */
  readonly accent?: string;
}

/** Labels that a link or an app attaches to a report. They are public: sent as they are, and not randomized. */
export interface Groups {
  /** Of a group with fewer reports, nothing is shown. */
  readonly smallest: number;
  /** A report has at most one label of each dimension. */
  readonly dimensions: readonly {
    readonly id: string;
    readonly text: string;
    readonly labels: readonly (readonly [id: string, text: string])[];
  }[];
}

/** The texts of a survey in another language; without options or labels, those of the survey are shown. */
export interface Translation {
  title: string;
  consent: string;
  thanks?: string;
  /** The texts of the labels, by their ids. */
  groups?: Readonly<Record<string, string>>;
  questions: Record<string, { text: string; options?: readonly string[]; labels?: readonly string[] }>;
}

/** True or false, an option's id, a list of ids, a number; null is "prefer not to say". */
export type Answer = boolean | number | string | readonly string[] | null;
/** Question id → answer. */
export type Answers = Record<string, Answer>;
