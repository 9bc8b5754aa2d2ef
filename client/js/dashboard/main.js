/**
 * What the researcher's pages do beyond links and forms. Every page is whole without it: each part looks for its
 * element, and does nothing on a page that has none.
 */
import { ask } from "./asking.js";
import { Live, quietly } from "./live.js";
import { offerPictures } from "./png.js";
import { renew } from "./renewing.js";
import { changed, choose, showSlider } from "./slider.js";

/** @import { State } from "./live.js" */

/** A slider moves in many small steps, and a number has several digits. */
const PAUSE = 300;
/** @type {Record<State, string>} */
const STATES = {
  live: "Updates by itself.",
  paused: "Paused.",
  unreachable: "The server is not reachable: these are its last figures.",
  "signed out": "Your session has ended: these are the last figures. Load the page again to sign in.",
  over: "The survey is no longer open, and the page does not change any more.",
};

/** @param {string} id */
const find = (id) => document.getElementById(id);
const main = /** @type {HTMLElement} */ (find("main"));
const tag = () => find("live")?.dataset.tag ?? "";

const clock = {
  now: () => performance.now(),
  /** @param {() => void} work @param {number} milliseconds */
  later(work, milliseconds) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};
const announce = quietly((text) => {
  const place = find("live-said");
  if (place) place.textContent = text;
}, clock);

/** @param {Document} page */
function show(page) {
  renew(main, /** @type {HTMLElement} */ (page.getElementById("main")));
  showSlider(main);
  announce(`New figures. ${find("live-as-of")?.textContent}`);
  return tag() !== "";
}

/** @param {State} state */
function tell(state) {
  const [place, button] = [find("live-state"), find("live-pause")];
  if (place) place.textContent = STATES[state];
  if (button) button.textContent = state === "paused" ? "Go on updating" : "Pause updates";
  if (button) button.hidden = state === "signed out";
}

function follow() {
  /** @param {State} state */
  const said = (state) => {
    tell(state);
    announce(STATES[state]);
  };
  const isVisible = () => document.visibilityState === "visible";
  /** @param {boolean} afresh */
  const askAgain = (afresh) => ask(location.href, afresh ? "" : tag());
  const live = new Live({ clock, ask: askAgain, show, tell: said, isVisible }, tag() !== "");
  let cancel = () => {};
  showSlider(main);
  for (const element of document.querySelectorAll("#live [hidden]")) element.removeAttribute("hidden");
  if (tag()) tell("live");
  document.addEventListener("visibilitychange", () => live.look());
  main.addEventListener("click", ({ target }) => {
    if (target === find("live-pause")) live.toggle();
  });
  main.addEventListener("input", ({ target }) => {
    const field = changed(main, target);
    if (!field) return;
    history.replaceState(null, "", choose(location.href, field));
    cancel();
    cancel = clock.later(() => live.ask(true), PAUSE);
  });
}

if (find("live")) follow();
offerPictures();
