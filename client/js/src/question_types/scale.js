/** Questions that are answered by a point of a scale, reported as the shares of the points or as their mean. */
import { isWhole } from "../checks.js";
import { need } from "../errors.js";
import { Numbers } from "../mechanisms/domains.js";
import { Choice } from "./choice.js";

/** @import { Code, Fields } from "../types.js" */

const LARGEST_POINT = 1e9;
const MOST_STEPS = 1000;

export class Scale extends Choice {
  static NAME = "scale";
  static fields = ["min", "max", "labels", "report", "extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    const { min, max, labels, report } = fields;
    need(isWhole(min, -LARGEST_POINT, LARGEST_POINT) && isWhole(max, min + 1, min + MOST_STEPS));
    need(["shares", "mean"].includes(report));
    const points = Array.from({ length: max - min + 1 }, (_, i) => min + i);
    super(fields, points);
    this.labels = labels.map((/** @type {any[]} */ [point, text]) => ({ point, text }));
    if (report === "mean") this.domain = new Numbers(report, this.extras.length, points.length);
  }

  /** @param {unknown} answer @returns {Code | undefined} */
  code(answer) {
    const place = super.code(answer);
    if (place === undefined || this.report === "shares") return place;
    const last = this.answers.length - this.extras.length - 1;
    return place > last ? place - last - 1 : { top: BigInt(place), bottom: BigInt(last) };
  }
}
