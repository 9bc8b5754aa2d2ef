/**
 * Make what is shown equal to a fresh page, node by node. What did not change is not touched, and what did is changed in
 * its place, so that the focus, a selection, open details and scrolled tables stay.
 * @param {Element} shown @param {Element} fresh
 */
export function renew(shown, fresh) {
  if (shown.isEqualNode(fresh)) return;
  // What people are using, as long as the survey is in the same phase.
  const { keep } = /** @type {HTMLElement} */ (shown).dataset;
  if (keep && keep === /** @type {HTMLElement} */ (fresh).dataset.keep) return;
  renewAttributes(shown, fresh);
  /** @type {ChildNode | null} */
  let next = shown.firstChild;
  for (const child of [...fresh.childNodes]) {
    const same = find(next, child);
    if (!same) {
      shown.insertBefore(child, next);
      continue;
    }
    // What stands before it is gone.
    while (next && next !== same) next = remove(next);
    next = same.nextSibling;
    if (same instanceof Element) renew(same, /** @type {Element} */ (child));
    else if (same.nodeValue !== child.nodeValue) same.nodeValue = child.nodeValue;
  }
  while (next) next = remove(next);
}

/** @param {Element} shown @param {Element} fresh */
function renewAttributes(shown, fresh) {
  for (const { name } of [...shown.attributes]) {
    // People open and close details, not the server.
    if (!fresh.hasAttribute(name) && name !== "open") shown.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes)
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
}

/** Find the next node of the same kind. @param {ChildNode | null} next @param {ChildNode} child */
function find(next, child) {
  let node = next;
  while (node && nameOf(node) !== nameOf(child)) node = node.nextSibling;
  return node;
}

/** A card has an id, or the id of its heading; other elements of one kind are taken in their order. @param {ChildNode} node */
function nameOf(node) {
  if (!(node.nodeType === Node.ELEMENT_NODE)) return node.nodeName;
  const element = /** @type {Element} */ (node);
  return `${node.nodeName} ${element.id || element.getAttribute("aria-labelledby") || element.getAttribute("class")}`;
}

/** @param {ChildNode} node */
function remove(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}
