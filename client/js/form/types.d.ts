/** The shapes that the modules of the form share. No browser loads this file. */
import type { Client, Survey } from "../src/client.js";

export type { Manifest, Question } from "../src/manifest.js";
export type { Receipt } from "../src/types.js";

/** Question id → true or false. Must never be stored or sent. */
export type Answers = Map<string, boolean>;

/** What can stand inside an element. */
export type Child = Node | string;

/** Texts become attributes; a function listens to the event of that name. */
export type Attributes = Record<string, string | EventListener>;

/** What a receipt shows; the body is gone when the report was sent on an earlier visit. */
export interface Shown {
  survey: string;
  id: string;
  body: string | null;
}

/** What a visit needs. */
export interface Page {
  /** Put a screen in the place of the one before. */
  show(nodes: Node[], focus?: boolean): void;
  /** Do work that may fail, and say so on a screen if it does. */
  run(work: () => Promise<void>): void;
  privacyUrl: string;
  client: Client;
  survey: Survey;
  /** Give the bytes that still wait on this device. */
  keptBody(): Promise<string | null>;
}
