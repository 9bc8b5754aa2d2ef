/** One of a few answers: buttons one below the other; the points of a scale in a row. */
import { make, radios } from "../questions.js";
import { choicesOf, extrasOf } from "./choices.js";
import { chooseOne } from "./texts.js";

/** @import { Choice, MakeScreen } from "../types.js" */

/** @type {MakeScreen} */
export function makeScreen(part) {
  const choices = choicesOf(part);
  const field = radios([...choices, ...extrasOf(part)]);
  // A scale with words at every point reads better as a list.
  const isRow = part.type === "scale" && choices.some(([point, text]) => String(point) === text);
  return { missing: chooseOne, field: isRow ? (chosen) => inRow(field(chosen), choices) : field };
}

/** Put the points in a row, with the words that some have below it. @param {ReturnType<F.Field>} field @param {Choice[]} points */
function inRow(field, points) {
  for (const [i, [point, text]] of points.entries()) {
    const words = make("span", { class: "visually-hidden" }, text.slice(String(point).length));
    field.nodes[i].replaceChildren(...[...field.nodes[i].childNodes].slice(0, 1), String(point), words);
  }
  const named = points.filter(([point, text]) => String(point) !== text);
  const ends = named.map(([, text]) => make("span", {}, text));
  const row = make("div", { class: "scale" }, ...field.nodes.slice(0, points.length));
  const below = make("div", { class: "scale-words small", "aria-hidden": true }, ...ends);
  return { ...field, nodes: [row, below, ...field.nodes.slice(points.length)] };
}
