/**
 * What the surveys of a state can have cost, whatever was answered.
 *
 * The law here: who takes part must not depend on an answer, be it of this survey or of an earlier one. A changed answer
 * costs again and a repeated one does not, so a cap is compared with the most that the answers could have cost.
 */
import { Epsilon } from "./epsilon.js";
import { total } from "./panels.js";

/** @import { Entry, Row } from "./types.js" */

/** Give what was really charged. @param {readonly Pick<Entry, "epsilon">[]} entries */
export function spentBy(entries) {
  return entries.reduce((sum, { epsilon }) => sum.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}

/** Give the most that can have been charged. @param {readonly Entry[]} entries */
export function mostSpentBy(entries) {
  const panels = new Map();
  for (const entry of entries) {
    const name = entry.rows ? `${entry.key}\n${entry.panel}` : "";
    panels.set(name, [...(panels.get(name) ?? []), entry]);
  }
  const alone = spentBy(panels.get("") ?? []);
  panels.delete("");
  return [...panels.values()].map(mostOfPanel).reduce((sum, most) => sum.plus(most), alone);
}

/** No wave costs more than its most, and no question more than all its answers. @param {readonly Entry[]} waves */
function mostOfPanel(waves) {
  const byWave = spentBy(waves.map(({ most = "0" }) => ({ epsilon: most })));
  /** @type {Map<string, Row[]>} */
  const asked = new Map();
  for (const row of waves.flatMap(({ rows = [] }) => rows)) {
    const before = asked.get(row[0]) ?? [];
    if (before.length < row[2]) asked.set(row[0], [...before, row]);
  }
  const byAnswer = total([...asked.values()].flat());
  return byWave.exceeds(byAnswer) ? byAnswer : byWave;
}
