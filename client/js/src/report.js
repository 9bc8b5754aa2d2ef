/** @file Reports: drawn once, in the order of the manifest. Only here is a raw answer read. */
import { need } from "./errors.js";
import { choose, SecureBytes, toHex } from "./randomness.js";

export class Report {
  /** @param {Pick<T.Entry, "survey" | "manifest" | "id">} head @param {Record<string, T.Draw>} answers @param {T.Charge} charge */
  constructor(head, answers, charge) {
    this.body = JSON.stringify({ v: 1, ...head, answers });
    Object.assign(this, head, { charge });
  }
}

/**
 * Draw the report to these answers.
 * @param {T.Manifest} manifest @param {T.Fields} answers question id → answer
 * @param {T.ByteSource} [source] @param {T.Recall} [recall] for surveys with repeated questions
 * @param {T.ChargeOf} [chargeOf] what is noted of its costs when the report is kept
 */
export function randomize(manifest, answers, source = new SecureBytes(), recall, chargeOf) {
  const { survey, questions, ask } = manifest;
  const codes = questions.map((question) =>
    question.encode((part) => {
      const code = part.code(answers[part.id] ?? "decline");
      need(code !== undefined, "an answer is unknown");
      return code;
    }),
  );
  const head = { survey, manifest: manifest.id, id: toHex(source.take(16)) };
  const memory = recall?.(source);
  /** @remarks Drawn without a look at the answers. */
  const asked = ask === null ? [...questions.keys()] : choose(source, questions.length, ask);
  /** @type {T.Cost[]} */
  const costs = [];
  const draws = questions.map(({ id, design }, i) => {
    if (!asked.includes(i)) return [id, design.blank];
    const memos = memory?.get(id);
    costs.push({ epsilon: design.epsilon, tag: memos?.[codes[i]]?.tag });
    return [id, design.draw(source, codes[i], memos)];
  });
  return new Report(head, Object.fromEntries(draws), (entries) => Object(chargeOf?.(costs, entries)));
}
