/**
 * @file What a question is answered with. `read` gives an answer as the device randomizes it; undefined is no answer
 * yet.
 */
import { categoriesOf, choicesOf, namesOf, writeNumber } from "./answers.js";
import { fill, words } from "./language.js";
import { stamp } from "./screen.js";

/** @import { Answer, Asked, Choice, Field } from "./types.js" */

/** More than fit on a phone are searched. @type {number} */
const MOST_LISTED = 12;
const MOST_FOUND = 8;
/** "1,500" may be one and a half or fifteen hundred: it is not guessed. @type {RegExp} */
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+|(?!0*[1-9]\d*,\d{3}$)\d+,\d+)$/;

/**
 * Make the field of a question. Whether one with `when` applies is what an earlier answer says.
 * @param {Asked} part @param {Answer} answer @returns {Field}
 */
export function fieldOf(part, answer) {
  const choices = choicesOf(part);
  const extras = categoriesOf(part)
    .slice(choices.length)
    .filter(([extra]) => !part.when || extra === "decline");
  if (part.type === "number") return numberField(part, extras, answer);
  const isLong = choices.length > MOST_LISTED && part.type !== "multi_choice";
  return (isLong ? search : list)(part, choices, extras, answer);
}

/** Offer choices to tick. @param {Choice[]} choices @param {string} type @param {Answer} given @returns {Node[]} */
function offer(choices, type, given) {
  const chosen = [given].flat();
  return choices.map(([answer, text, label]) => {
    const input = { type, answer, checked: chosen.includes(answer) };
    return stamp("choice", { text, note: label ?? "", input }).copy;
  });
}

/** @param {HTMLElement} place @returns {any[]} */
function inputsIn(place) {
  return [...place.querySelectorAll(":checked")];
}

/** @param {HTMLElement} place @returns {Answer[]} */
function ticked(place) {
  return inputsIn(place).map(({ answer }) => answer);
}

/** "Prefer not to say" and the like stand alone. @param {HTMLElement} place @param {unknown} but */
function clear(place, but) {
  for (const input of inputsIn(place)) input.checked = input === but;
}

/**
 * One of a few, or several. A scale with words at every point reads better as a list than in a row.
 * @param {Asked} part @param {Choice[]} choices @param {Choice[]} extras @param {Answer} answer @returns {Field}
 */
function list({ type, most }, choices, extras, answer) {
  const isMany = type === "multi_choice";
  const [shown, alone] = [choices, extras].map((some) => offer(some, isMany ? "checkbox" : "radio", answer));
  const labels = choices.filter(([, , label]) => label).map((point) => namesOf([point]));
  const isRow = type === "scale" && labels.length < choices.length;
  const hint = words[most ? (most > 1 ? "choose_most" : "choose_or_none") : "choose_any"];
  const { copy, all, options, others } = stamp("list", {
    hint: isMany ? fill(hint, { most }) : "",
    options: shown,
    labels: isRow ? labels.map((label) => stamp("end", { label }).copy) : "",
    others: alone,
  });
  if (isRow) options.className = "scale";
  all.oninput = (/** @type {Event} */ { target }) => clear(others.contains(target) ? all : others, target);
  return {
    copy,
    target: options.querySelector("input"),
    missing: isMany ? fill(words.too_many, { most }) : words.choose_one,
    read: () => {
      const chosen = ticked(options);
      return ticked(others)[0] ?? (isMany ? (chosen[most] ? undefined : chosen) : chosen[0]);
    },
  };
}

/**
 * One of many: the first that match. What was chosen stays in sight, also when it does not match.
 * @param {Asked} _ @param {Choice[]} choices @param {Choice[]} extras @param {Answer} answer @returns {Field}
 */
function search(_, choices, extras, answer) {
  const { copy, box, status, list } = stamp("search", { all: choices.length });
  const plain = choices.map(([, text]) => simplify(text));
  const read = () => ticked(list)[0];
  const find = (/** @type {Answer} */ chosen) => {
    const wanted = simplify(box.value);
    /** @remarks What is written in full comes first, or nobody could choose "A" among "A 1", "A 2" and so on. */
    const ranks = plain.map((text) => (text === wanted ? 3 : Math.min(text.indexOf(wanted), 1) + 1));
    const [same, ...more] = [3, 1, 2].map((rank) => choices.filter((_, i) => ranks[i] === rank));
    const found = [same, ...more].flat();
    const first = found.slice(0, Math.max(MOST_FOUND, same.length));
    const kept = choices.filter((choice) => choice[0] === chosen && !first.includes(choice));
    list.replaceChildren(...offer([...kept, ...first, ...extras], "radio", chosen));
    const [all, shown] = [found.length, first.length];
    status.textContent = fill(words[all ? (all > shown ? "found_some" : "found_all") : "found_none"], { all, shown });
  };
  box.oninput = () => find(read());
  find(answer);
  return { copy, target: box, marked: list, missing: words.choose_one, read };
}

/** Without regard to case and accents. @param {string} text */
function simplify(text) {
  const plain = text.normalize("NFKD").replace(/\p{Mark}/gu, "");
  return plain.toLowerCase().trim();
}

/**
 * A number, written or on a line. A slider that nobody moved is no answer; a click on its middle moves it by nothing.
 * The keys for decimals have no minus on some phones.
 * @param {Asked} part @param {Choice[]} extras @param {Answer} answer @returns {Field}
 */
function numberField({ min, max }, extras, answer) {
  const step = Number(`1e${Math.ceil(Math.log10((max - min) / 200))}`);
  const { copy, all, box, slider, others } = stamp("number", {
    min,
    max,
    box: { inputMode: min < 0 ? "text" : "decimal", value: typeof answer === "number" ? writeNumber(answer) : "" },
    slider: { min: Math.floor(min / step) * step, max: Math.ceil(max / step) * step, step },
    others: offer(extras, "checkbox", answer),
  });
  const number = () => readNumber(box.value, min, max);
  const follow = () => {
    slider.value = number() ?? (Number(min) + Number(max)) / 2;
    slider.ariaValueText = box.value || "–";
    slider.className = number() === undefined ? "untouched" : "";
  };
  all.oninput = (/** @type {Event} */ { target }) => {
    clear(others, target);
    if (target === slider) box.value = writeNumber(Math.min(Math.max(slider.value, min), max));
    else if (target !== box) box.value = "";
    follow();
  };
  slider.onclick = () => slider.dispatchEvent(new Event("input", { bubbles: true }));
  follow();
  const read = () => ticked(others)[0] ?? number();
  return { copy, target: box, marked: box, missing: fill(words.write_number, { min, max }), read };
}

/** @param {string} text @param {number} min @param {number} max */
function readNumber(text, min, max) {
  const digits = text.replace("−", "-").replace(/[٠-٩۰-۹]/g, (digit) => `${digit.charCodeAt(0) & 15}`);
  const number = NUMBER.test(digits.trim()) ? Number(digits.replace(",", ".")) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}
