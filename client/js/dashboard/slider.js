/** Fields whose choice is shown at once, and the slider beside one of them. Without a script, the button shows it. */
const FIELD = "made_up";

/** Let the slider be seen, beside its field. @param {ParentNode} place */
export function showSlider(place) {
  const { slider, field } = find(place);
  if (!slider || !field) return;
  slider.hidden = false;
  slider.value = field.value || "0";
}

/**
 * Keep slider and field in step, and return the field that was changed, if its choice is to be shown.
 * @param {ParentNode} place @param {EventTarget | null} target
 */
export function changed(place, target) {
  const { slider, field } = find(place);
  if (slider && field) {
    if (target === slider) field.value = slider.value === "0" ? "" : slider.value;
    if (target === field) slider.value = field.value || "0";
  }
  const input = target === slider ? field : target;
  return input instanceof HTMLInputElement && input.matches("[data-at-once]") && input.checkValidity() ? input : null;
}

/**
 * Return the address of the page with another choice.
 * @param {string} address @param {{ name: string, value: string }} choice
 */
export function choose(address, { name, value }) {
  const url = new URL(address);
  // A link has the share itself, and the field a percentage.
  if (name === FIELD) url.searchParams.delete("beta");
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
  return url.href;
}

/** @param {ParentNode} place */
function find(place) {
  /** @type {HTMLInputElement | null} */
  const slider = place.querySelector("input[type=range]");
  /** @type {HTMLInputElement | null} */
  const field = place.querySelector(`input[name=${FIELD}]`);
  return { slider, field };
}
