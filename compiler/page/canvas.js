// Part of Yarrow, under the Apache License v2.0.
// The colours of the page for canvases, and contexts to draw with.

const UNIT_COLOURS = {tensor: "tensor", tec: "tec", dma: "dma", none: "other"};
let colours = {};
function colour(name) {
  return colours[name] ||= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
const repaints = [];
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours = {};
  for (const repaint of repaints) repaint();
});

// A context that takes CSS pixels, on a clean canvas.
function penOf(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
