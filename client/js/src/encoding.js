/** Bytes as texts: hexadecimal and base64url. */

/** @param {ArrayBuffer | Uint8Array} bytes */
export function toHex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} text */
export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number(`0x${byte}`));
}

/** @param {string} text */
export function fromBase64url(text) {
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
}
