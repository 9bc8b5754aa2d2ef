/** The element `hushpoll-survey`, its attributes and its events. */

/** Why a survey cannot be shown: docs/embedding.md has the cures. */
export type Reason =
  | "address"
  | "insecure"
  | "policy"
  | "storage"
  | "browser"
  | "unknown-survey"
  | "not-open"
  | "foreign-origin"
  | "server-away";

/** The events of the element; all bubble. None says anything about an answer. */
export interface HushpollEventMap {
  /** The report is stored on the device, and the first attempt to send it has ended. */
  "hushpoll-sent": CustomEvent<{ readonly survey: string }>;
  /** The respondent pressed Close. */
  "hushpoll-closed": CustomEvent<{ readonly survey: string }>;
  /** The survey cannot be shown; `survey` is null if its address cannot be used. */
  "hushpoll-unavailable": CustomEvent<{ readonly survey: string | null; readonly reason: Reason }>;
}

/** What can be written into the tag besides what every element takes. */
export interface HushpollSurveyAttributes {
  /** The whole address of the form. */
  src: string;
  /** The public label of those who answer here, or several with commas, as the survey declares them. */
  group?: string;
  /** Of the frame in CSS pixels, 10 to 99999; 640 if not given. */
  height?: number | string;
  /** The language to begin in, if the survey has it. */
  lang?: string;
  /** What assistive technology calls the frame. */
  title?: string;
}

export declare class HushpollSurvey extends HTMLElement {
  static observedAttributes: string[];
  /** Why the survey cannot be shown, or null. */
  get unavailable(): Reason | null;
  connectedCallback(): void;
  disconnectedCallback(): void;
  connectedMoveCallback(): void;
  attributeChangedCallback(name: string, before: string | null, after: string | null): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "hushpoll-survey": HushpollSurvey;
  }
  interface HTMLElementEventMap extends HushpollEventMap {}
  interface DocumentEventMap extends HushpollEventMap {}
  // For JSX without a module of its own; hushpoll/react has React's.
  namespace JSX {
    interface IntrinsicElements {
      "hushpoll-survey": HushpollSurveyAttributes & { children?: unknown; [attribute: string]: unknown };
    }
  }
}
