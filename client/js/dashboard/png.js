/**
 * Save the chart of a card as PNG: its SVG file, drawn on a canvas. The file is on a white ground in any scheme of colours,
 * because it is meant for documents.
 *
 * Buttons are found when they are pressed, so those of cards that were replaced work, too.
 */

/** Pixels of the picture for each unit of the file: sharp on screens and in print. */
const SCALE = 2;
const FAILED = "PNG failed: reload the page";

/** Show the buttons, and listen to them. */
export function offerPictures() {
  document.documentElement.classList.add("has-script");
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-svg]") : null;
    if (button instanceof HTMLButtonElement) void save(button);
  });
}

/** @param {HTMLButtonElement} button */
async function save(button) {
  button.disabled = true;
  try {
    saveAs(await picture(button.dataset.svg ?? ""), button.dataset.name ?? "chart.png");
  } catch {
    button.textContent = FAILED;
    button.removeAttribute("aria-label");
  } finally {
    button.disabled = false;
    button.focus();
  }
}

/**
 * @param {string} address
 * @returns {Promise<Blob>}
 */
async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * image.naturalWidth;
  canvas.height = SCALE * image.naturalHeight;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("no canvas");
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function saveAs(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to save by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
