// Part of Yarrow, under the Apache License v2.0.
// Views as files: tables as CSV, drawings as SVG that any program shows. What a
// canvas shows is drawn again, with a pen that writes.

function saveFile(name, type, text) {
  const link = element("a", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// "resnet20-timeline.svg"
function fileName(view, ending) {
  const names = builds.map(build => build.report.model || build.label);
  return [...new Set(names), view].join("-").replace(/[^\w.-]+/g, "_") + "." + ending;
}

const downloadButton = (ending, label, action) => element("button",
  {type: "button", class: "download", "aria-label": label, title: label, onclick: action}, ending);

//--- Tables ----------------------------------------------------------------

// Columns are those of a SortedTable; numbers as they are, without units.
function csvOf(columns, rows) {
  const cell = value => {
    const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const lines = [columns.map(column => column.csv || column.title),
    ...rows.map(row => columns.map(column => (column.file || column.value)(row)))];
  return lines.map(line => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

//--- Drawings --------------------------------------------------------------

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "letter-spacing"];

// As SVG of its own, with the styles that it has here, on the page's colour.
// change may move what is in the copy.
function svgText(svg, width, height, change = () => {}) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of DRAWN) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" || name === "fill" || name === "stroke") to[i].setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role", "data-id"]) to[i].removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.prepend(svgElement("rect", {width, height, fill: colour("page")}));
  change(copy);
  return new XMLSerializer().serializeToString(copy);
}

const svgElement = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

// What plots use of a canvas's context, as SVG.
class SvgPen {
  constructor(width, height) {
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`];
    Object.assign(this, {globalAlpha: 1, fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, textAlign: "left",
      font: "12px sans-serif", path: "", open: 0, saved: [], clips: 0});
    this.fillStyle = colour("page");
    this.fillRect(0, 0, width, height);
  }

  add(tag, attributes, text) {
    const list = Object.entries(attributes).filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}="${escaped(typeof value === "number" ? Number(value.toFixed(2)) : value)}"`);
    this.parts.push(`<${tag} ${list.join(" ")}${text === undefined ? "/>" : `>${escaped(text)}</${tag}>`}`);
  }
  get alpha() { return this.globalAlpha < 1 ? this.globalAlpha : null; }

  fillRect(x, y, width, height) { this.add("rect", {x, y, width, height, fill: this.fillStyle, "fill-opacity": this.alpha}); }
  strokeRect(x, y, width, height) {
    if (width > 0 && height > 0)
      this.add("rect", {x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth});
  }
  fillText(text, x, y) {
    this.add("text", {x, y, fill: this.fillStyle, "font-size": parseFloat(this.font) || 12, "font-family": "sans-serif",
      "text-anchor": {left: "start", center: "middle", right: "end"}[this.textAlign]}, text);
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${x.toFixed(1)} ${y.toFixed(1)}`; }
  lineTo(x, y) { this.path += `L${x.toFixed(1)} ${y.toFixed(1)}`; }
  rect(x, y, w, h) { this.path += `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h${(-w).toFixed(1)}Z`; }
  stroke() {
    this.add("path", {d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-opacity": this.alpha});
  }
  fill() { this.add("path", {d: this.path, fill: this.fillStyle, "fill-opacity": this.alpha}); }
  clip() {
    const id = "clip" + ++this.clips;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    ++this.open;
  }
  save() {
    const {globalAlpha, fillStyle, strokeStyle, lineWidth, textAlign, open} = this;
    this.saved.push({globalAlpha, fillStyle, strokeStyle, lineWidth, textAlign, open});
  }
  restore() {
    const before = this.saved.pop();
    for (; this.open > before.open; --this.open) this.parts.push("</g>");
    Object.assign(this, before);
  }
  text() { return this.parts.join("\n") + "\n</svg>\n"; }
}

const saveSvg = (view, text) => saveFile(fileName(view, "svg"), "image/svg+xml", text);
// Of two builds a file each.
const letterOf = build => (isComparison ? "-" + build.letter : "");
