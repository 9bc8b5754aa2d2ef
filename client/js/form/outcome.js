/**
 * What is shown after Send, and when nothing can be sent.
 *
 * The law here: these screens know the report, never the answers. There is no second draw and no way back.
 */
import { button, heading, make } from "./dom.js";
import * as texts from "./texts.js";

/** @import { Shown } from "./types.js" */

/** @param {string} detail */
export function sending(detail) {
  return card(texts.outcome.sending, [detail]);
}

/** @param {Shown} shown */
export function sent(shown) {
  return card(texts.outcome.sent, [texts.outcome.sentDetail], ...receipt(shown, texts.outcome.body));
}

/** @param {Shown} shown */
export function already(shown) {
  return card(texts.outcome.already, [texts.outcome.alreadyDetail], ...receipt(shown, texts.outcome.body));
}

/** @param {Shown} shown @param {string} reason */
export function refused(shown, reason) {
  return card(texts.outcome.refused, [reason], ...receipt(shown, texts.outcome.body));
}

/** @param {Shown} shown @param {() => void} retry @param {number} seconds that the server wants to be left alone */
export function waiting(shown, retry, seconds) {
  const again = seconds ? make("p", {}, texts.outcome.patience(seconds)) : button(texts.outcome.retry, retry);
  const more = [...receipt(shown, texts.outcome.bodyWaiting), make("div", { class: "actions" }, again)];
  return card(texts.outcome.waiting, [texts.outcome.waitingDetail], ...more);
}

/** @param {string} title @param {string} cure */
export function trouble(title, cure) {
  return card(title, [cure, texts.trouble.nothingSent]);
}

/** Say that the page failed, when it is not known whether something was sent. */
export function unexpected() {
  return card(texts.trouble.unexpected, [texts.trouble.unexpectedDetail]);
}

/** @param {string} title @param {string[]} paragraphs @param {...HTMLElement} more */
function card(title, paragraphs, ...more) {
  const body = paragraphs.map((text) => make("p", {}, text));
  return [make("section", { class: "card" }, heading(title), ...body, ...more)];
}

/** @param {Shown} shown @param {string} summary */
function receipt({ survey, id, body }, summary) {
  const facts = [
    [texts.outcome.survey, survey],
    [texts.outcome.report, id],
  ];
  return [
    make("h2", {}, texts.outcome.receipt),
    make(
      "dl",
      { class: "facts" },
      ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", { class: "mono" }, value)]),
    ),
    ...(body === null ? [] : [seeBody(body, summary)]),
  ];
}

/** @param {string} body @param {string} summary */
function seeBody(body, summary) {
  const explanation = make("p", { class: "small" }, texts.outcome.bodyDetail);
  return make("details", {}, make("summary", {}, summary), make("pre", {}, body), explanation);
}
