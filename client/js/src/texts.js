/** Texts as people see them. The publisher signs them, but two answers must not look like one. */
import { isText } from "./checks.js";

/**
 * Return whether all are texts that can be seen, no two of them alike; what cannot be seen makes no difference.
 * @param {readonly unknown[]} texts
 */
export function areToldApart(texts) {
  // They are normalized in one piece, because a codebook may have 100,000. No text contains the U+FFFF between them.
  const seen = normalForm(["", ...texts, ""].join("\uffff")).split(/ ?\uffff ?/);
  const isApart = seen.length === texts.length + 2 && new Set(seen).size === texts.length + 1;
  return isApart && texts.every(isText);
}

/** Return a text in NFC, without invisible characters, with single spaces, as texts.py does. @param {string} text */
export function normalForm(text) {
  return text
    .replace(/(?!\p{White_Space})[\p{DI}\p{Cc}\ufff9-\ufffb]/gu, "")
    .normalize()
    .replace(/[\s\x85\u2800]+/g, " ")
    .trim();
}
