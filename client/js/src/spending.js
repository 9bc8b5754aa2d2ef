/**
 * What the surveys of a state can have cost, whatever was answered.
 *
 * The rule here: who takes part must not depend on an answer, to this survey or to an earlier one. A changed
 * answer costs again and a repeated one does not, so a cap is compared with the most that the answers could have cost.
 */
import { Epsilon } from "./epsilon.js";
import { sumOfRows } from "./panels.js";

/** @import { Entry, Row } from "./types.js" */

/** Return what was really charged. @param {readonly Pick<Entry, "epsilon">[]} entries */
export function spentBy(entries) {
  return entries.reduce((sum, { epsilon }) => sum.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}

/** Return the most that can have been charged. @param {readonly Entry[]} entries */
export function mostSpentBy(entries) {
  const alone = spentBy(entries.filter(({ rows }) => !rows));
  /** @type {Map<string, Entry[]>} */
  const panels = new Map();
  for (const entry of entries.filter(({ rows }) => rows)) {
    const panel = `${entry.key}\n${entry.panel}`;
    panels.set(panel, [...(panels.get(panel) ?? []), entry]);
  }
  return [...panels.values()].map(mostOfPanel).reduce((sum, most) => sum.plus(most), alone);
}

/**
 * Return the most that one panel can cost: no wave more than its `most`, no question more than all its answers.
 * @param {readonly Entry[]} waves
 */
function mostOfPanel(waves) {
  const byWave = spentBy(waves.map(({ most = "0" }) => ({ epsilon: most })));
  /** @type {Map<string, Row[]>} */
  const asked = new Map();
  for (const row of waves.flatMap(({ rows = [] }) => rows)) {
    const before = asked.get(row[0]) ?? [];
    if (before.length < row[2]) asked.set(row[0], [...before, row]);
  }
  const byAnswer = sumOfRows([...asked.values()].flat());
  return byWave.exceeds(byAnswer) ? byAnswer : byWave;
}
