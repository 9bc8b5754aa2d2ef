/** @file The closed table of mechanisms, and the one way to read one. */
import { Epsilon } from "../epsilon.js";
import { need } from "../errors.js";
import { Ball } from "./ball.js";
import { Channel } from "./channel.js";
import { Laplace } from "./laplace.js";
import { Padded } from "./padded.js";
import { Projective } from "./projective.js";
import { Repeated } from "./repeated.js";
import { Subset } from "./subset.js";
import { Warner } from "./warner.js";
import { Wave } from "./wave.js";

/** @type {Record<string, T.Mechanism>} */
export const DESIGNS = {
  warner: Warner,
  subset: Subset,
  projective: Projective,
  ball: Ball,
  padded: Padded,
  channel: Channel,
  wave: Wave,
  laplace: Laplace,
  repeated: Repeated,
};

/**
 * Make a design of integers within bounds, and check its claims. Nothing but these integers, and the lists of a channel,
 * gets into it.
 * @param {T.Fields} fields @returns {T.Design}
 */
export function readDesign({ name, odds, epsilon, ...fields }) {
  const Mechanism = DESIGNS[name];
  need(typeof name === "string" && Mechanism?.bounds, "a mechanism is unknown: update Hushpoll");
  const numbers = Object.entries(Mechanism.bounds).map(([key, [least, most]]) => {
    const number = BigInt(fields[key]);
    need(number >= least && number <= most);
    return [key, typeof least === "bigint" ? number : Number(number)];
  });
  const design = new Mechanism({ name, ...Object.fromEntries(numbers) }, fields);
  need(odds === design.odds && !design.epsilon.exceeds(Epsilon.parse(epsilon)));
  return design;
}
