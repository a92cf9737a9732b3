// Part of Yarrow, under the Apache License v2.0.
// Numbers, names and elements as every view shows them, and what is selected.

const known = value => value !== null && value !== undefined && Number.isFinite(value);
// A format by its digits: to make one takes longer than to use it.
const formats = new Map();
function fixed(value, digits) {
  if (!known(value)) return "–";
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits});
    formats.set(digits, format);
  }
  return format.format(value);
}
const count = value => fixed(known(value) ? Math.round(value) || 0 : value, 0);
const percent = (part, whole, digits = 1) => whole ? fixed(100 * part / whole, digits) + "\u00a0%" : "–";
// Six digits that tell something, whatever the size.
const real = value => known(value) ? String(Number(value.toPrecision(6))) : "–";
function bytes(value) {
  if (!known(value)) return "–";
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return (unit ? fixed(value, 2) : count(value)) + "\u00a0" + units[unit];
}
function shortCount(value) {
  const units = ["", " k", " M", " G"];
  let unit = 0;
  for (; value >= 1000 && unit < 3; ++unit) value /= 1000;
  return String(Number(value.toPrecision(3))) + units[unit];
}
const decibels = error => !error ? "–" : error.sqnr_db === null ? "exact" : fixed(error.sqnr_db, 1) + "\u00a0dB";
const shapeText = tensor => tensor && tensor.shape ? tensor.shape.join("×") || "scalar" : "";
// "1 layer", "2 layers"
const counted = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;
// Names differ at their ends, so they are cut in the middle.
function shortName(name, most) {
  if (name.length <= most) return name;
  const half = Math.floor((most - 1) / 2);
  return name.slice(0, most - 1 - half) + "…" + name.slice(name.length - half);
}

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
const escaped = text => String(text).replace(/[&<>"']/g, c => escapes[c]);

// element("p", {class: "note"}, "text", otherElement)
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

const unitTag = unit => element("span", {class: "unit-tag " + unit}, UNITS[unit].short);

//--- What is selected ------------------------------------------------------

// A layer, in all views at once.
const selection = {
  layer: null,
  listeners: [],
  pick(layer) {
    if (this.layer === layer) return;
    this.layer = layer;
    for (const listener of this.listeners) listener(layer);
  },
  // Of the build, the layer that is selected or its counterpart.
  of(build) {
    if (!this.layer) return null;
    return this.layer.build === build ? this.layer : otherOf(this.layer);
  },
};

const tooltip = {
  box: document.getElementById("tooltip"),
  show(text, x, y) {
    this.box.textContent = text;
    this.box.hidden = false;
    const {width, height} = this.box.getBoundingClientRect();
    this.box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 6)) + "px";
    this.box.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18) + "px";
  },
  hide() { this.box.hidden = true; },
};
