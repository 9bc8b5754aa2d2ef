/** The element `hushpoll-survey` as a React component. Its children are shown where the survey cannot be. */
import { createElement, useRef, useState } from "react";
import "../embed/hushpoll-survey.js";

/** @import { HushpollSurveyProps } from "../types/react.js" */

/** @type {readonly ["onSent" | "onClosed" | "onUnavailable", string][]} */
const EVENTS = [
  ["onSent", "hushpoll-sent"],
  ["onClosed", "hushpoll-closed"],
  ["onUnavailable", "hushpoll-unavailable"],
];

/** @param {HushpollSurveyProps} props */
export function HushpollSurvey({ onSent, onClosed, onUnavailable, ...attributes }) {
  const handlers = useRef({});
  handlers.current = { onSent, onClosed, onUnavailable };
  const [attach] = useState(() => attacher(handlers));
  return createElement("hushpoll-survey", { ...attributes, ref: attach });
}

/** Return what listens to the element for good: React may call it twice. @param {{ current: Partial<HushpollSurveyProps> }} handlers */
function attacher(handlers) {
  const listeners = EVENTS.map(([prop, name]) => ({
    name,
    listen: (/** @type {any} */ event) => handlers.current[prop]?.(event),
  }));
  return (/** @type {HTMLElement | null} */ element) => {
    for (const { name, listen } of listeners) element?.addEventListener(name, listen);
  };
}
