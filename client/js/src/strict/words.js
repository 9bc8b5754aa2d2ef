/**
 * The words of every language and of every mechanism, each loaded when it is first needed.
 *
 * The paths are written out: not every bundler follows a path that is put together.
 */

/** @type {Record<string, () => Promise<{ default: any }>>} */
export const LANGUAGES = {
  ar: () => import("../../words/ar.js"),
  de: () => import("../../words/de.js"),
  en: () => import("../../words/en.js"),
  fr: () => import("../../words/fr.js"),
};

/** By the names in manifests. @type {Record<string, () => Promise<{ default: any }>>} */
export const MECHANISM_WORDS = {
  ball: () => import("../../words/mechanisms/ball.js"),
  channel: () => import("../../words/mechanisms/channel.js"),
  laplace: () => import("../../words/mechanisms/laplace.js"),
  privset: () => import("../../words/mechanisms/privset.js"),
  projective: () => import("../../words/mechanisms/projective.js"),
  repeated: () => import("../../words/mechanisms/repeated.js"),
  square_wave: () => import("../../words/mechanisms/square_wave.js"),
  subset: () => import("../../words/mechanisms/subset.js"),
};
