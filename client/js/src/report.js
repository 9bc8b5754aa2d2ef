/** Reports: drawn once, in the order of the manifest. Only here is a raw answer read. */
import { toHex } from "./encoding.js";
import { need } from "./errors.js";
import { groupCode } from "./groups.js";
import { choose, SecureBytes } from "./randomness.js";

/** @import { Manifest } from "./manifest.js" */
/** @import { ByteSource, Charge, ChargeOf, Cost, Fields, Recall, ReportHead } from "./types.js" */

export class Report {
  /** @param {ReportHead} head @param {Record<string, string>} draws by question @param {Charge} charge what it costs */
  constructor(head, draws, charge) {
    Object.assign(this, head);
    /** The text that is sent. */
    this.body = JSON.stringify({ v: 1, ...head, answers: draws });
    this.charge = charge;
  }
}

/**
 * Draw the report to these answers.
 * @param {Manifest} manifest @param {Fields} answers question id → answer
 * @param {readonly string[]} labels of groups, at most one of each dimension
 * @param {ByteSource} [source] @param {Recall} [recall] for surveys with repeated questions
 * @param {ChargeOf} [chargeOf] what is noted of its costs when the report is kept
 */
export function randomize(manifest, answers, labels, source = new SecureBytes(), recall, chargeOf) {
  const { survey, questions, ask } = manifest;
  const codes = questions.map((question) => question.codeIn(answers));
  const groups = groupCode(labels, manifest.groups);
  need(groups !== undefined);
  const head = { survey, manifest: manifest.id, id: toHex(source.take(16)), ...(groups && { groups }) };
  const memory = recall?.(source);
  // Drawn without looking at the answers.
  const asked = ask === null ? [...questions.keys()] : choose(source, questions.length, ask);
  /** @type {Cost[]} */
  const costs = [];
  const draws = questions.map(({ id, design }, i) => {
    if (!asked.includes(i)) return [id, design.blank];
    const memos = memory?.get(id);
    costs.push({ epsilon: design.epsilon, tag: memos?.[codes[i]]?.tag });
    return [id, design.draw(source, codes[i], memos)];
  });
  return new Report(head, Object.fromEntries(draws), (entries) => Object(chargeOf?.(costs, entries)));
}
