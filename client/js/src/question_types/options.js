/** Options to choose from: what programs call them and what people read. */
import { isText, isWhole } from "../checks.js";
import { need } from "../errors.js";

/** @import { Option } from "../types.js" */

/**
 * Read options: each is a text that is its own id, or an id and a text.
 * @param {unknown} options @param {number} most @returns {Option[]}
 */
export function readOptions(options, most) {
  need(Array.isArray(options) && isWhole(options.length, 2, most));
  return options.map((option) => {
    const [id, text = id] = [option].flat();
    need(isText(id));
    return { id, text };
  });
}

/** @param {Option} option */
export function idOf({ id }) {
  return id;
}
