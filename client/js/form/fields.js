/**
 * The fields in which questions are answered. `read` returns an answer as it is randomized; undefined means none yet.
 */

import { fill } from "../src/sentences.js";
import { categoriesOf, choicesOf, namesOf, writeNumber } from "./answers.js";
import { words } from "./language.js";
import { stamp } from "./screen.js";

/** @import { AnyQuestion } from "../src/types.js" */
/** @import { Answer, Choice, Field, MakeField } from "./types.js" */

// Lists that do not fit on a phone are searched.
const MOST_LISTED = 12;
const MOST_FOUND = 8;
// "1,500" may mean one and a half or fifteen hundred: do not guess.
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+|(?!0*[1-9]\d*,\d{3}$)\d+,\d+)$/;

/**
 * Return the field of a question. Whether one with `when` applies follows from an earlier answer.
 * @param {AnyQuestion} part @param {Answer} answer @returns {Field}
 */
export function fieldOf(part, answer) {
  const choices = choicesOf(part);
  const extras = categoriesOf(part)
    .slice(choices.length)
    .filter(([extra]) => !part.when || extra === "decline");
  if (part.type === "number") return numberField(part, choices, extras, answer);
  const isLong = choices.length > MOST_LISTED && part.type !== "multi_choice";
  return (isLong ? searchField : listField)(part, choices, extras, answer);
}

/** Offer choices to tick. @param {Choice[]} choices @param {string} type @param {Answer} answer @returns {Node[]} */
function offer(choices, type, answer) {
  const chosen = [answer].flat();
  return choices.map(([value, text, label]) => {
    const input = { type, answer: value, checked: chosen.includes(value) };
    return stamp("choice", { text, note: label ?? "", input }).copy;
  });
}

/** @param {HTMLElement} element @returns {any[]} */
function checkedInputs(element) {
  return [...element.querySelectorAll(":checked")];
}

/** @param {HTMLElement} element @returns {Answer[]} */
function ticked(element) {
  return checkedInputs(element).map(({ answer }) => answer);
}

/**
 * Untick all but one: "prefer not to say" and the like exclude everything else.
 * @param {HTMLElement} element @param {unknown} but
 */
function clear(element, but) {
  for (const input of checkedInputs(element)) input.checked = input === but;
}

/**
 * One or several of a few choices. A scale with words at every point reads better as a list than in a row.
 * @type {MakeField}
 */
function listField({ type, most }, choices, extras, answer) {
  const isMany = type === "multi_choice";
  const [shown, alone] = [choices, extras].map((some) => offer(some, isMany ? "checkbox" : "radio", answer));
  const labels = choices.filter(([, , label]) => label).map((point) => namesOf([point]));
  const isRow = type === "scale" && labels.length < choices.length;
  const hint = most ? (most > 1 ? words.choose_most : words.choose_or_none) : words.choose_any;
  const { copy, all, options, others } = stamp("list", {
    hint: isMany ? fill(hint, { most }, words) : "",
    options: shown,
    labels: isRow ? labels.map((label) => stamp("end", { label }).copy) : "",
    others: alone,
  });
  if (isRow) options.className = "scale";
  all.oninput = (/** @type {Event} */ { target }) => clear(others.contains(target) ? all : others, target);
  return {
    copy,
    target: options.querySelector("input"),
    missing: isMany ? fill(words.too_many, { most }, words) : words.choose_one,
    read: () => {
      const chosen = ticked(options);
      const isTooMany = most && chosen.length > most;
      return ticked(others)[0] ?? (isMany ? (isTooMany ? undefined : chosen) : chosen[0]);
    },
  };
}

/** One of many choices: the first that match, and the chosen one even if it does not match. @type {MakeField} */
function searchField(_, choices, extras, answer) {
  const { copy, box, status, list } = stamp("search", { all: choices.length });
  const plain = choices.map(([, text]) => simplify(text));
  const read = () => ticked(list)[0];
  const find = (/** @type {Answer} */ chosen) => {
    const [same, ...more] = rankedBy(simplify(box.value), choices, plain);
    const matching = [same, ...more].flat();
    const first = matching.slice(0, Math.max(MOST_FOUND, same.length));
    const hidden = choices.filter((choice) => choice[0] === chosen && !first.includes(choice));
    list.replaceChildren(...offer([...hidden, ...first, ...extras], "radio", chosen));
    const [all, shown] = [matching.length, first.length];
    const found = all ? (all > shown ? "found_some" : "found_all") : "found_none";
    status.textContent = fill(words[found], { all, shown }, words);
  };
  box.oninput = () => find(read());
  box.onkeydown = (/** @type {KeyboardEvent} */ { key }) => {
    const first = rankedBy(simplify(box.value), choices, plain).flat().length && list.querySelector("input");
    if (key === "ArrowDown") first?.focus();
    if (key === "Enter" && box.value && read() === undefined) first?.click();
  };
  find(answer);
  return { copy, target: box, marked: list, missing: words.choose_one, read };
}

/**
 * Return the choices that equal the sought text, begin with it, or contain it.
 * @param {string} sought @param {Choice[]} choices @param {readonly string[]} plain their texts, simplified
 */
function rankedBy(sought, choices, plain) {
  // Exact matches come first, or nobody could choose "A" among "A 1", "A 2" and so on.
  const ranks = plain.map((text) => (text === sought ? 3 : Math.min(text.indexOf(sought), 1) + 1));
  return [3, 1, 2].map((rank) => choices.filter((_, i) => ranks[i] === rank));
}

/** Return a text without regard to case and accents. @param {string} text */
function simplify(text) {
  const plain = text.normalize("NFKD").replace(/\p{Mark}/gu, "");
  return plain.toLowerCase().trim();
}

/** A number, typed or set with a slider. @type {MakeField} */
function numberField({ min: lowest, max: highest }, _, extras, answer) {
  const [min, max] = [lowest, highest].map(Number);
  const step = Number(`1e${Math.ceil(Math.log10((max - min) / 200))}`);
  const { copy, all, box, slider, others } = stamp("number", {
    min: lowest,
    max: highest,
    // On some phones the decimal keypad has no minus.
    box: { inputMode: min < 0 ? "text" : "decimal", value: typeof answer === "number" ? writeNumber(answer) : "" },
    slider: { min: Math.floor(min / step) * step, max: Math.ceil(max / step) * step, step },
    others: offer(extras, "checkbox", answer),
  });
  const number = () => readNumber(box.value, min, max);
  // A slider that was not moved is not an answer.
  const follow = () => {
    slider.value = number() ?? (min + max) / 2;
    slider.ariaValueText = box.value || "–";
    slider.className = number() === undefined ? "untouched" : "";
  };
  all.oninput = (/** @type {Event} */ { target }) => {
    clear(others, target);
    if (target === slider) box.value = writeNumber(Math.min(Math.max(slider.value, min), max));
    else if (target !== box) box.value = "";
    follow();
  };
  // A click on its middle does not move it, but is an answer.
  slider.onclick = () => slider.dispatchEvent(new Event("input", { bubbles: true }));
  follow();
  const read = () => ticked(others)[0] ?? number();
  const missing = fill(words.write_number, { min: lowest, max: highest }, words);
  return { copy, target: box, marked: box, missing, read };
}

/** @param {string} text @param {number} min @param {number} max */
function readNumber(text, min, max) {
  const digits = text.replace("−", "-").replace(/[٠-٩۰-۹]/g, (digit) => `${digit.charCodeAt(0) & 15}`);
  const number = NUMBER.test(digits.trim()) ? Number(digits.replace(",", ".")) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}
