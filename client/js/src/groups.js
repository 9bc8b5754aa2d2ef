/**
 * Groups that are no secret: labels that a link or an app attaches to a report (hushpoll_shared/groups.py).
 *
 * The rule here: a code is known before anybody answers, and has the same width in every report to a survey. There are
 * few combinations of labels, or one could stand for a single person.
 */
import { need } from "./errors.js";

/** @import { Groups } from "./types.js" */

const MOST_COMBINATIONS = 256;
export const MOST_LABELS = 48;

/** Return the dimensions of a survey's groups, not too many. @param {Groups} [groups] */
export function dimensionsOf(groups) {
  const dimensions = groups?.dimensions ?? [];
  // A report may also have no label of a dimension.
  const combinations = dimensions.reduce((product, { labels }) => product * (labels.length + 1), 1);
  const isShort = dimensions.every(({ labels }) => labels.length <= MOST_LABELS);
  need(isShort && combinations <= MOST_COMBINATIONS, "there are too many groups");
  return dimensions;
}

/**
 * Return the code of labels, at most one of each dimension: its place in two digits, or −1 for none. There is no code if
 * the survey does not have these labels.
 * @param {readonly string[]} ids @param {Groups} [groups]
 */
export function groupCode(ids, groups) {
  const places = dimensionsOf(groups).map(({ labels }) => labels.findIndex(([id]) => ids.includes(id)));
  const code = places.map((place) => `${place}`.padStart(2, "0")).join("");
  return labelsOf(code, groups).length === ids.length ? code : undefined;
}

/** Return the labels that a code stands for. @param {string} code @param {Groups} [groups] */
export function labelsOf(code, groups) {
  return dimensionsOf(groups).flatMap(({ labels }, i) => {
    const place = Number(code.slice(2 * i, 2 * i + 2));
    // From −1 to 0 there is none.
    return labels.slice(place, place + 1);
  });
}
