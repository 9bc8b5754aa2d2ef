/**
 * Whether a survey takes reports at this time.
 *
 * The rule here: a survey that does not is refused before anything is drawn or charged. The server decides in the end:
 * its researcher may close a survey early, and a device's clock may be wrong, so what is stored is sent whatever the
 * clock.
 */
import { SurveyNotOpen } from "../errors.js";

/** @import { Manifest } from "../manifest.js" */

/** @param {Manifest} manifest @param {number} now in ms */
export function checkOpen(manifest, now) {
  const { opens, closes } = manifest;
  if (opens && now < Date.parse(opens))
    throw notOpen(manifest, "survey-not-open", `opens only at ${opens}: come back then`);
  if (closes && now >= Date.parse(closes))
    throw notOpen(manifest, "survey-closed", `closed at ${closes}: leave it out`);
}

/** @param {Manifest} manifest @param {string} problem @param {string} reason */
function notOpen({ survey, opens, closes }, problem, reason) {
  const message = `the survey ${survey} ${reason}, or set the clock of this device if it is wrong`;
  return Object.assign(new SurveyNotOpen(message), {
    survey,
    problem: `urn:hushpoll:problem:${problem}`,
    opens,
    closes,
  });
}
