// Part of Yarrow, under the Apache License v2.0.
// What the page knows: unpacks the data (compiler/page/PageJson.h) and joins
// what the report and the picture say of a layer.

// {columns, rows} back to a list of objects, at any depth.
function unpack(json) {
  if (Array.isArray(json)) return json.map(unpack);
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json.columns) && Array.isArray(json.rows))
    return json.rows.map(row =>
      Object.fromEntries(json.columns.map((key, i) => [key, unpack(row[i])])));
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, unpack(value)]));
}

const UNITS = {
  tensor: {short: "TE", name: "tensor engine"},
  tec: {short: "TEC", name: "TECs (programmable cores)"},
  dma: {short: "DMA", name: "DMA alone"},
  none: {short: "–", name: "no work of its own"},
};
const TRACK_UNITS = {te: "tensor", load: "dma", store: "dma", tec: "tec"};

// The unit that worked longest for a layer.
function unitOf(layer) {
  const busy = [["tensor", layer.tensor_engine_cycles], ["tec", layer.tec_cycles],
    ["dma", layer.dma_cycles]].filter(([, cycles]) => cycles > 0);
  // Copies for a layer do not make it one of the DMA engine.
  const works = busy.filter(([unit]) => unit !== "dma");
  return (works.length ? works : busy).reduce(
    (best, next) => (next[1] > best[1] ? next : best), ["none", 0])[0];
}

class Build {
  constructor(entry, index) {
    this.index = index;
    this.letter = "AB"[index];
    this.label = entry.label;
    this.report = unpack(entry.report);
    this.picture = unpack(entry.picture);
    this.performance = this.report.performance;
    this.makeLayers();
    this.makeNodes();
    this.makeTracks();
    this.makeBuffers();
  }

  makeLayers() {
    const errors = new Map();
    const quantized = (this.report.quantization || this.report.diagnosis || {}).layers || [];
    for (const error of quantized) {
      errors.set("tensor " + error.tensor, error);
      errors.set("layer " + error.name, error);
    }
    const drawn = this.picture ? this.picture.layers : [];
    const measured = this.performance ? this.performance.layers : [];
    const base = measured.length ? measured : drawn.length ? drawn : quantized;
    this.layers = base.map((layer, index) => {
      const plan = drawn[index] || {};
      const found = (plan.results || []).map(r => errors.get("tensor " + r.name)).find(Boolean) ||
        [layer.name, ...(plan.members || [])].map(n => errors.get("layer " + n)).find(Boolean);
      return {...plan, ...layer, index, build: this, error: found || null,
        unit: unitOf(layer), reads: [], readBy: [], events: 0};
    });
    this.byName = new Map(this.layers.map(layer => [layer.name, layer]));
    this.cycles = this.performance ? this.performance.cycles : 0;
    this.mostCycles = Math.max(1, ...this.layers.map(l => l.cycles || 0));
  }

  // The places of the drawing: inputs, layers, outputs.
  makeNodes() {
    this.nodes = [];
    if (!this.picture) return;
    const {inputs, outputs, layout, layers} = this.picture;
    const add = (kind, name, layer, tensor) => {
      const id = this.nodes.length;
      this.nodes.push({id, kind, name, layer, tensor, build: this,
        x: layout.nodes[2 * id], y: layout.nodes[2 * id + 1], above: [], below: []});
    };
    inputs.forEach(t => add("input", t.name, null, t));
    layers.forEach((l, i) => add("layer", l.name, this.layers[i], (l.results || [])[0]));
    outputs.forEach(t => add("output", t.name, null, t));
    for (const [from, to] of layout.edges) {
      const [a, b] = [this.nodes[from], this.nodes[to]];
      a.below.push(b);
      b.above.push(a);
      if (b.layer) b.layer.reads.push(a);
      if (a.layer) a.layer.readBy.push(b);
    }
    for (const node of this.nodes) if (node.layer) node.layer.node = node;
  }

  makeTracks() {
    this.tracks = [];
    if (!this.picture) return;
    for (const track of this.picture.tracks) {
      const events = [];
      let last = 0;
      for (let i = 0; i < track.events.length; i += 5) {
        const [gap, cycles, layer, kind, count] = track.events.slice(i, i + 5);
        last += gap;
        events.push({start: last, end: last + cycles, count,
          layer: layer < 0 ? null : this.layers[layer], kind: this.picture.kinds[kind]});
        if (layer >= 0) this.layers[layer].events += count;
      }
      this.tracks.push({name: track.name, unit: TRACK_UNITS[track.unit], events});
    }
  }

  makeBuffers() {
    this.buffers = [];
    if (!this.picture) return;
    const flat = this.picture.buffers;
    const tensors = new Set(this.nodes.flatMap(node => node.layer ? (node.layer.results || []).map(r => r.name) : [node.name]));
    const kindOf = name => tensors.has(name) ? "tensor" : /\.(weights|lut|constant|reciprocals|ones)$/.test(name) ? "weights" : "piece";
    for (let i = 0; i < flat.length; i += 6) {
      const name = this.picture.buffer_names[flat[i]];
      this.buffers.push({name, kind: kindOf(name), offset: flat[i + 1],
        size: flat[i + 2], start: flat[i + 3], end: flat[i + 3] + flat[i + 4],
        layer: flat[i + 5] < 0 ? null : this.layers[flat[i + 5]]});
    }
    this.buffers.sort((a, b) => a.start - b.start || a.offset - b.offset);
    // How much of the SRAM is in use from each cycle on.
    const changes = this.buffers.flatMap(b => [[b.start, b.size], [b.end, -b.size]])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    this.occupancy = [];
    let bytes = 0;
    for (const [cycle, change] of changes) {
      bytes += change;
      const last = this.occupancy[this.occupancy.length - 1];
      if (last && last[0] === cycle) last[1] = bytes;
      else this.occupancy.push([cycle, bytes]);
    }
    this.peakBytes = this.occupancy.reduce((most, [, b]) => Math.max(most, b), 0);
  }

  // Two roofs: MACs per cycle, and DDR bytes per cycle.
  get roofs() {
    const machine = this.picture && this.picture.machine;
    return {
      macs: this.performance ? this.performance.peak_macs_per_cycle : 0,
      bytes: machine ? machine.ddrBytesPerCycle : 0,
    };
  }
}

const builds = JSON.parse(document.getElementById("data").textContent)
  .builds.map((entry, index) => new Build(entry, index));
const isComparison = builds.length > 1;

// The same layer of the other build.
const otherOf = layer => isComparison
  ? builds[1 - layer.build.index].byName.get(layer.name) || null : null;

//--- Numbers and texts -----------------------------------------------------

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
const percent = (part, whole, digits = 1) => whole ? fixed(100 * part / whole, digits) + " %" : "–";
// Six digits that tell something, whatever the size.
const real = value => known(value) ? String(Number(value.toPrecision(6))) : "–";
function bytes(value) {
  if (!known(value)) return "–";
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  for (; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return (unit ? fixed(value, 2) : count(value)) + " " + units[unit];
}
function shortCount(value) {
  const units = ["", " k", " M", " G"];
  let unit = 0;
  for (; value >= 1000 && unit < 3; ++unit) value /= 1000;
  return String(Number(value.toPrecision(3))) + units[unit];
}
const decibels = error => !error ? "–" : error.sqnr_db === null ? "exact" : fixed(error.sqnr_db, 1) + " dB";
const shapeText = tensor => tensor && tensor.shape ? tensor.shape.join("×") || "scalar" : "";
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
