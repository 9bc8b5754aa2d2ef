/** A survey as an app holds it: its verified manifest, and the one step in which an answer exists. */
import { randomizeStrictly } from "./strict/randomize.js";

/** @import { Answers, ByteSource, Recall, ToldManifest, Wave } from "./types.js" */

/** A survey that was verified against the key of its publisher. */
export class Survey {
  #source;
  #recall;

  /**
   * @param {ToldManifest} manifest @param {ByteSource} source @param {Recall} [recall] for repeated questions
   * @param {Wave} [wave] of a panel
   */
  constructor(manifest, source, recall, wave) {
    this.manifest = manifest;
    /** Whether this state answered an earlier wave of the panel. If not, someone who took part before pays again. */
    this.knowsPanel = wave?.isKnown ?? false;
    /** The ids of repeated questions that are new to this state in a panel that it knows: they cost again. */
    this.newQuestions = Object.freeze(this.knowsPanel ? (wave?.newQuestions ?? []).map(({ id }) => id) : []);
    this.#source = source;
    this.#recall = recall;
    Object.freeze(this);
  }

  /**
   * Draw the report to these answers (question id → answer): nothing is kept, nothing is sent.
   *
   * Call it once for each respondent: a second draw of the same answers spends epsilon again.
   * @param {Answers} answers
   * @param {{ groups?: readonly string[] }} [options] the public labels of this respondent, at most one of each
   *   dimension: they are sent as they are, so show them before you ask
   */
  randomize(answers, { groups = [] } = {}) {
    return randomizeStrictly(this.manifest, answers, this.#source, this.#recall, groups);
  }
}
