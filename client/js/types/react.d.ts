/** The element as a React component, and its tag in React's JSX. */
import type { DetailedHTMLProps, HTMLAttributes, ReactElement, ReactNode } from "react";
import type { HushpollSurvey as Element, HushpollEventMap, HushpollSurveyAttributes } from "./embed.js";

export interface HushpollSurveyProps extends HushpollSurveyAttributes {
  id?: string;
  className?: string;
  onSent?: ((event: HushpollEventMap["hushpoll-sent"]) => void) | undefined;
  onClosed?: ((event: HushpollEventMap["hushpoll-closed"]) => void) | undefined;
  onUnavailable?: ((event: HushpollEventMap["hushpoll-unavailable"]) => void) | undefined;
  /** Shown where the survey cannot be: a link to the form. */
  children?: ReactNode;
}
export declare function HushpollSurvey(props: HushpollSurveyProps): ReactElement;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "hushpoll-survey": DetailedHTMLProps<HTMLAttributes<Element>, Element> & HushpollSurveyAttributes;
    }
  }
}
