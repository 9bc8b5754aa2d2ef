/** @file Texts as people see them. The publisher signs them, but two answers must not look like one. */

/** @param {unknown} value */
export function isText(value) {
  return typeof value === "string" && value !== "";
}

/**
 * Tell whether all are texts that can be seen, no two of them alike: what cannot be seen makes no difference. They are
 * compared in one piece, because a codebook has 100,000.
 * @param {readonly unknown[]} texts
 */
export function areToldApart(texts) {
  /** @remarks U+FFFF is between them: no text has it. */
  const seen = normalForm(["", ...texts, ""].join("\uffff")).split(/ ?\uffff ?/);
  const isApart = seen.length === texts.length + 2 && new Set(seen).size === texts.length + 1;
  return isApart && texts.every(isText);
}

/** NFC, without what has no picture, with single blanks. @see texts.py @param {string} text */
export function normalForm(text) {
  return text
    .replace(/(?!\p{White_Space})[\p{DI}\p{Cc}\ufff9-\ufffb]/gu, "")
    .normalize()
    .replace(/[\s\x85\u2800]+/g, " ")
    .trim();
}
