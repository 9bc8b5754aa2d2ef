/** The answers to choose from, as pairs of a value and its words. */
import { words } from "../texts.js";
import { extraWords } from "./texts.js";

/** @import { Asked, Choice } from "../types.js" */

/** Give the answers without the extras. @param {Asked} part @returns {Choice[]} */
export function choicesOf({ type, options = [], min, max, labels = [] }) {
  if (type === "yes_no") return [[true, words.yes], [false, words.no]]; // biome-ignore format: a table
  if (type !== "scale") return options.map(({ id, text }) => [id, text]);
  const named = new Map(labels.map(({ point, text }) => [point, text]));
  return Array.from({ length: Number(max) - Number(min) + 1 }, (_, i) => {
    const point = Number(min) + i;
    return [point, named.has(point) ? `${point} – ${named.get(point)}` : String(point)];
  });
}

/** Give "prefer not to say" and "does not apply", where they can be answered. @param {Asked} part @returns {Choice[]} */
export function extrasOf({ extras = [] }) {
  return extras.map((extra) => [extra, extraWords[extra]]);
}
