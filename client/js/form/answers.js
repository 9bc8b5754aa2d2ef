/** @file What can be answered, by name. */
import { translate, words } from "./language.js";

/** @import { Answer, Asked, Choice } from "./types.js" */

/** Give the answers to choose from, without the extras. @param {Asked} part @returns {Choice[]} */
export function choicesOf(part) {
  const { type, options, labels, answers, extras } = part;
  const own = translate(part);
  if (type === "yes_no") return [true, false].map((value) => [value, value ? words.yes : words.no]);
  if (type !== "scale") return options.map(named(own.options));
  const labelled = new Map(labels.map(named(own.labels)));
  const points = answers.slice(0, answers.length - extras.length);
  return points.map((/** @type {number} */ point) => [point, `${point}`, labelled.get(point)]);
}

/** Pair an option, or a point, with its text. @param {any[]} texts @returns {(item: any, i: number) => Choice} */
function named(texts) {
  return ({ id, point = id }, i) => [point, texts[i].text ?? texts[i]];
}

/** Give all answers. @param {Asked} part @returns {Choice[]} */
export function categoriesOf(part) {
  return [...choicesOf(part), ...part.extras.map((/** @type {string} */ extra) => [extra, words[extra]])];
}

/** @param {Choice[]} choices */
export function namesOf(choices) {
  return choices.map(([, ...names]) => names.filter(Boolean).join(" – ")).join(", ");
}

/** @param {Asked} part @param {Answer} answer */
export function nameAnswer(part, answer) {
  const chosen = [answer].flat();
  const names = namesOf(categoriesOf(part).filter(([value]) => chosen.includes(value)));
  return names || (part.type === "number" ? writeNumber(answer) : words.none);
}

/** Write a number without an exponent, however small. @param {number} number */
export function writeNumber(number) {
  return number.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });
}
