/** What is on the screen: copies of the page's templates (templates/respond/screens.html). */
import { fill } from "../src/sentences.js";
import { language, words } from "./language.js";

/** @import { Filling, Parts } from "./types.js" */

export const place = /** @type {HTMLElement} */ (document.getElementById("screen"));
/** What is drawn now, and again in another language. @type {() => Node} */
let current;

/** Draw a screen; keyboards and screen readers start at its heading. @param {() => Node} screen */
export function show(screen, isMoved = true) {
  current = screen;
  redraw();
  // In a frame that nobody acts in, the page around would be scrolled to it, and could notice an earlier report.
  if (!isMoved || !document.hasFocus()) return;
  scrollTo(0, 0);
  place.querySelector("h1")?.focus();
}

export function redraw() {
  place.replaceChildren(current());
}

/**
 * Copy a template with its words, and fill its parts and gaps: with texts, nodes, properties, or what a press does.
 *
 * Texts become text nodes, never HTML. A part with a direction is a text of the survey, whatever the manifest has
 * there: it cannot set properties.
 * @param {string} name @param {Filling} [filling] @returns {Parts}
 */
export function stamp(name, filling = {}) {
  const copy = /** @type {any} */ (document.getElementById(name)).content.cloneNode(true);
  /** @type {Parts} */
  const parts = { copy };
  for (const element of copy.querySelectorAll("*")) {
    const { word, part } = element.dataset;
    if (word) element.append(fill(word.split(".").reduce(textAt, words), filling, words));
    if (part) parts[part] = element;
    if (element.dir === "auto") element.lang = language;
  }
  for (const [part, value] of Object.entries({ close: () => tellPageAround("closed"), ...filling })) {
    if (!parts[part]) continue;
    if (typeof value === "function") parts[part].onclick = value;
    else if (!parts[part].dir && Object(value).constructor === Object) Object.assign(parts[part], value);
    else parts[part].append(...[value].flat());
  }
  return parts;
}

/** @param {any} texts @param {string} key */
function textAt(texts, key) {
  return texts[key];
}

/** Write a sentence about two kinds, each with its mark. @param {readonly string[]} texts */
export function markedSentence([lead, real, other, more = ""]) {
  return stamp("sentence", { lead, real, other, more }).copy;
}

/**
 * Tell the surrounding page about Send or Close, that the script runs, or what hinders it: it learns nothing else.
 * @param {string} hushpoll
 */
export function tellPageAround(hushpoll) {
  if ("embedded" in place.dataset) parent.postMessage({ hushpoll, survey: place.dataset.survey }, "*");
}
