/**
 * The way back: the browser's Back button shows the screen before, as the page's own does.
 *
 * Every screen has a place: the first one, each question in the survey's order, the review. The rules here: the address
 * never changes; an entry of the history holds nothing but its place; questions that are not shown have entries too,
 * because a page that is visited later can count them. In a frame there are none: the page around could count along.
 */
import { place } from "./screen.js";

const isAlone = !("embedded" in place.dataset);
/** The screens up to the current place. @type {((() => void) | undefined)[]} */
let trail = [() => {}];

/** Begin with a screen; there is no way back from it. @param {() => void} screen */
export function restart(screen) {
  trail = [screen];
  if (isAlone) history.replaceState(0, "");
}

/** Show a screen at its place. @param {number} at @param {() => void} screen */
export function goTo(at, screen) {
  if (at < trail.length) {
    trail[at] = screen;
    return move(at);
  }
  while (trail.length <= at) {
    if (isAlone) history.pushState(trail.length, "");
    trail.length += 1;
  }
  trail[at] = screen;
  return screen();
}

/** Show the screen before. */
export function retreat() {
  move(trail.length - 2);
}

/** Return to the first place, and show only this screen from now on. @param {() => void} screen */
export function finish(screen) {
  trail.fill(screen);
  screen();
  move(0);
}

/** @param {number} at */
function move(at) {
  const by = at + 1 - trail.length;
  // Going by 0 would reload the page.
  if (isAlone && by) history.go(by);
  else showAt({ state: at });
}

/** @param {{ state: number | null }} place */
function showAt({ state }) {
  // The link that skips to the content makes an entry without a place: the screen is shown again, from its heading on.
  if (state === null) return history.back();
  // Entries remain after a way back, a reload or Send.
  if (state >= trail.length) return history.go(trail.length - 1 - state);
  trail.length = state + 1;
  return (trail[state] ?? retreat)();
}

if (isAlone) {
  history.replaceState(0, "");
  addEventListener("popstate", showAt);
}
