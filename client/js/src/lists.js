/** The lists that questions of format 2 have: extras, options, labels. What is read is frozen. */
import { check, checkList, checkText, need } from "./core.js";
import { checkSize } from "./designs/wire.js";

const EXTRAS = ["decline", "does_not_apply"];
const OPTION_ID = /^(?!(?:decline|does_not_apply|-)$)\P{Cc}{1,200}$/u;

/** Read which of "prefer not to say" and "does not apply" can be answered. @param {unknown} value */
export function readExtras(value) {
  const extras = checkList(value, 0, EXTRAS.length);
  const inOrder = EXTRAS.filter((extra) => extras.includes(extra));
  need(JSON.stringify(extras) === JSON.stringify(inOrder), `extras are some of ${EXTRAS.join(", ")}, in this order`);
  return Object.freeze(inOrder);
}

/** Read options: a text, which is its own id, or an id and a text. @param {unknown} value @param {number} most */
export function readOptions(value, most) {
  const options = checkList(value, 2, most).map((item) => {
    const [id, text] = typeof item === "string" ? [item, item] : checkList(item, 2, 2);
    need(id !== text || item === id, "an option whose id is its text is written as the text");
    checkText(id);
    return Object.freeze({ id: check(id, OPTION_ID, "this cannot be the id of an option"), text: checkText(text) });
  });
  need(new Set(options.map(({ id }) => id)).size === options.length, "two options have the same id");
  return Object.freeze(options);
}

/** Give the place of each id. @param {readonly { id: string }[]} options @returns {Map<unknown, number>} */
export function placesOf(options) {
  return new Map(options.map(({ id }, place) => [id, place]));
}

/** Read the labels of some points, in order. @param {unknown} value @param {number} min @param {number} max */
export function readLabels(value, min, max) {
  let next = min;
  const labels = checkList(value, 0, max - min + 1).map((label) => {
    const [point, text] = checkList(label, 2, 2);
    next = checkSize(point, next, max) + 1;
    return Object.freeze({ point: next - 1, text: checkText(text) });
  });
  return Object.freeze(labels);
}

/** Read what is reported. @param {unknown} value @param {readonly string[]} known */
export function readReport(value, known) {
  need(known.includes(/** @type {string} */ (value)), `report is one of ${known.join(", ")}`);
  return /** @type {string} */ (value);
}
