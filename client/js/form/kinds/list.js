/** One of many answers: a search, and the first answers that match it. Only those are on the page. */
import { input, make, radios } from "../questions.js";
import { choicesOf, extrasOf } from "./choices.js";
import { chooseOne, found, searchFor } from "./texts.js";

/** @import { Choice, MakeScreen } from "../types.js" */

const MOST_SHOWN = 8;

/** @type {MakeScreen} */
export function makeScreen(part) {
  const [choices, extras] = [choicesOf(part), extrasOf(part)];
  const search = searcher(choices);
  return {
    missing: chooseOne,
    attributes: { role: "group" },
    field: (chosen) => {
      const box = Object.assign(input("text"), { spellcheck: false });
      const status = make("p", { role: "status", class: "small muted" });
      const list = make("div", { role: "radiogroup", "aria-label": part.text });
      let shown = radios([])();
      /** @param {Choice} [kept] */
      const show = (kept) => {
        const matches = search(box.value);
        const first = matches.slice(0, MOST_SHOWN);
        // What was chosen stays in sight, also when it does not match.
        const above = kept && ![...first, ...extras].includes(kept) ? [kept] : [];
        shown = radios([...above, ...first, ...extras])(kept);
        list.replaceChildren(...shown.nodes);
        status.textContent = found(matches.length, first.length);
      };
      box.oninput = () => show(shown.read());
      show(chosen);
      const label = make("label", {}, searchFor(choices.length), box);
      return { nodes: [label, status, list], target: box, read: () => shown.read() };
    },
  };
}

/** Search without regard to case and accents; matches at the start come first. @param {Choice[]} choices */
function searcher(choices) {
  /** @type {string[]} */
  let plain = [];
  return (/** @type {string} */ text) => {
    const wanted = simplify(text);
    if (!wanted) return choices;
    if (plain.length === 0) plain = choices.map(([, words]) => simplify(words));
    const matches = choices.filter((_, i) => plain[i].includes(wanted) && !plain[i].startsWith(wanted));
    return [...choices.filter((_, i) => plain[i].startsWith(wanted)), ...matches];
  };
}

/** @param {string} text */
function simplify(text) {
  return text.normalize("NFKD").replace(/\p{Mark}/gu, "").toLowerCase().trim(); // biome-ignore format: one chain
}
