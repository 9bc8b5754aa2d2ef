/** The possible answers and their names. */
import { textOf } from "../src/presentation.js";
import { translate, words } from "./language.js";

/** @import { AnyQuestion } from "../src/types.js" */
/** @import { Answer, Choice } from "./types.js" */

/** What each type of question offers to choose from. @type {Record<string, (part: AnyQuestion) => Choice[]>} */
const CHOICES = {
  yes_no: () => [true, false].map((value) => [value, value ? words.yes : words.no]),
  single_choice: nameOptions,
  multi_choice: nameOptions,
  scale: namePoints,
  number: () => [],
  pair: () => [],
};

/** Return the answers to choose from, without the extras. @param {AnyQuestion} part */
export function choicesOf(part) {
  return CHOICES[part.type](part);
}

/** @param {AnyQuestion} part @returns {Choice[]} */
function nameOptions(part) {
  const { options } = translate(part);
  return part.options.map(({ id }, i) => [id, textOf(options[i])]);
}

/** @param {AnyQuestion} part @returns {Choice[]} */
function namePoints(part) {
  const { labels } = translate(part);
  const labelled = new Map(part.labels.map(({ point }, i) => [point, textOf(labels[i])]));
  const points = /** @type {number[]} */ (part.answers.slice(0, part.answers.length - part.extras.length));
  return points.map((point) => [point, `${point}`, labelled.get(point)]);
}

/** Return all answers. @param {AnyQuestion} part @returns {Choice[]} */
export function categoriesOf(part) {
  const extras = part.extras.map((extra) => /** @type {Choice} */ ([extra, words[extra]]));
  return [...choicesOf(part), ...extras];
}

/** @param {Choice[]} choices */
export function namesOf(choices) {
  return choices.map(([, ...names]) => names.filter(Boolean).join(" – ")).join(", ");
}

/** @param {AnyQuestion} part @param {Answer} answer */
export function nameAnswer(part, answer) {
  const chosen = [answer].flat();
  const names = namesOf(categoriesOf(part).filter(([value]) => chosen.includes(value)));
  return names || (typeof answer === "number" ? writeNumber(answer) : words.none);
}

/** Write a number without an exponent, however small. @param {number} number */
export function writeNumber(number) {
  return number.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });
}
