/** Questions in their one spelling: names, texts, and options that are written as short as possible. */
import { need } from "../errors.js";
import { examineDesign } from "./designs.js";
import { check, checkKeys, checkName, checkText, isSpelled } from "./values.js";

/** @import { AnyQuestion, AskedQuestion, Fields, Label, Option } from "../types.js" */

const OPTION_ID = /^(?!(?:decline|does_not_apply|-)$)\P{Cc}{1,200}$/u;

const MOST_POINT_MASSES = 4;

/**
 * Refuse fields that do not spell a question in the one valid way.
 * @param {AskedQuestion} question @param {Fields} fields from which it was read
 */
export function examineQuestion(question, fields) {
  const { when, mechanism, ...asked } = fields;
  checkKeys(fields, [...Object.keys(asked), "when", "mechanism"]);
  examineAsked(question, asked);
  examineDesign(question.design, mechanism);
}

/** @param {AnyQuestion} question or a part of a pair @param {Fields} fields */
function examineAsked({ id, text, options, labels, answers, parts = [] }, fields) {
  checkName(id);
  checkText(text);
  options.forEach(examineOption);
  examineLabels(labels, answers);
  const written = options.map((option) => (option.id === option.text ? option.text : [option.id, option.text]));
  need(isSpelled(fields.options ?? [], written), "an option is a text, or an id and another text");
  const labelled = labels.map((label) => [label.point, label.text]);
  need(isSpelled(fields.labels ?? [], labelled), "a label is a point and a text");
  examineMasses(fields);
  for (const [i, part] of parts.entries()) examineAsked(part, fields.parts[i]);
}

/** @param {Fields} fields of a number */
function examineMasses({ min, max, report, point_masses = [] }) {
  const [low, high, ...masses] = [min, max, ...point_masses].map(Number);
  const most = report === "distribution" ? MOST_POINT_MASSES : 0;
  const areInOrder = masses.every((mass, i) => mass >= low && mass <= high && !(mass <= masses[i - 1]));
  need(masses.length <= most && areInOrder, "point masses are some numbers of a distribution's range, in their order");
}

/** @param {readonly Label[]} labels @param {readonly unknown[]} points */
function examineLabels(labels, points) {
  let before = -1;
  for (const { point, text } of labels) {
    checkText(text);
    const place = points.indexOf(point);
    need(typeof point === "number" && place > before, "labels belong to points of the scale, in their order");
    before = place;
  }
}

/** @param {Option} option */
function examineOption({ id, text }) {
  checkText(id);
  checkText(text);
  check(id, OPTION_ID, "this cannot be the id of an option");
}
