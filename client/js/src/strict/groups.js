/** The public labels of a survey in their one spelling: names and texts that can be told apart, and not too many. */
import { need } from "../errors.js";
import { MOST_LABELS } from "../groups.js";
import { areToldApart } from "../texts.js";
import { checkDistinct, checkKeys, checkList, checkName, checkText, checkWhole } from "./values.js";

/** @import { AnyQuestion } from "../types.js" */

const MOST_DIMENSIONS = 4;
const LARGEST_SMALLEST = 1e6;

/**
 * Return the ids of the labels of each dimension.
 * @param {unknown} value @param {readonly AnyQuestion[]} asked
 */
export function examineGroups(value, asked) {
  const { smallest, dimensions } = checkKeys(value, ["smallest", "dimensions"]);
  checkWhole(smallest, 1, LARGEST_SMALLEST);
  const labels = checkList(dimensions, 1, MOST_DIMENSIONS).map(examineDimension);
  const ids = dimensions.map((/** @type {{ id: string }} */ { id }) => id);
  checkDistinct([...ids, ...labels.flat()], "two groups or dimensions have the same name");
  need(labels.flat().length <= MOST_LABELS, "there are too many groups");
  need(!asked.some(({ id }) => ids.includes(id)), "a question and a dimension of groups have the same id");
  return labels;
}

/** @param {unknown} value @returns {string[]} */
function examineDimension(value) {
  const { id, text, labels } = checkKeys(value, ["id", "text", "labels"]);
  checkName(id);
  checkText(text);
  const pairs = checkList(labels, 2, MOST_LABELS).map((label) => checkList(label, 2, 2));
  need(areToldApart(pairs.map((pair) => checkText(pair[1]))), "two groups look the same");
  return pairs.map((pair) => checkName(pair[0]));
}

/** @param {unknown} value @param {readonly string[][]} labels the ids of each dimension */
export function examineTranslatedGroups(value, labels) {
  const texts = checkKeys(value, labels.flat());
  need(labels.length > 0, "a translation has groups that the survey does not have");
  for (const ids of labels) need(areToldApart(ids.map((id) => checkText(texts[id]))), "two groups look the same");
}
