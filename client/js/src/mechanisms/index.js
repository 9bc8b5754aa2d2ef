/** The mechanisms: the only list of them, and the one way to read one. */
import { Epsilon } from "../epsilon.js";
import { need } from "../errors.js";
import { Ball } from "./ball.js";
import { Channel } from "./channel.js";
import { readInteger } from "./design.js";
import { Laplace } from "./laplace.js";
import { PrivSet } from "./privset.js";
import { Projective } from "./projective.js";
import { Repeated } from "./repeated.js";
import { SquareWave } from "./square_wave.js";
import { Subset } from "./subset.js";

/** @import { AnyDesign, Fields, Mechanism } from "../types.js" */

/** @type {readonly Mechanism[]} */
export const MECHANISMS = [Subset, Projective, Ball, PrivSet, Channel, SquareWave, Laplace, Repeated];

/**
 * Read the design that a manifest gives for a question, and believe none of its claims.
 *
 * Nothing but integers within bounds, and the lists of a channel, gets into a design.
 * @param {Fields} fields @returns {AnyDesign}
 */
export function readDesign(fields) {
  const mechanism = MECHANISMS.find(({ NAME }) => NAME === fields.name);
  need(mechanism, "a mechanism is unknown: update Hushpoll");
  const parameters = Object.entries(mechanism.bounds).map(([key, limits]) => [key, readInteger(fields[key], limits)]);
  const design = new mechanism(Object.fromEntries(parameters), fields);
  const isHonest = fields.odds === design.odds && !design.epsilon.exceeds(Epsilon.parse(fields.epsilon));
  need(isHonest);
  return design;
}
