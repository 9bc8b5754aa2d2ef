/** The element as a Vue component. */
import type { DefineComponent } from "vue";
import type { HushpollEventMap, HushpollSurveyAttributes } from "./embed.js";

export declare const HushpollSurvey: DefineComponent<
  HushpollSurveyAttributes & {
    onSent?: (event: HushpollEventMap["hushpoll-sent"]) => void;
    onClosed?: (event: HushpollEventMap["hushpoll-closed"]) => void;
    onUnavailable?: (event: HushpollEventMap["hushpoll-unavailable"]) => void;
  }
>;
