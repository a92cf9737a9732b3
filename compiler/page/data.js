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
  tec: {short: "TEC", name: "TECs"},
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

// "3×3, stride 2" of the first of the layers that has a window; "" if none has.
function windowText(facts) {
  const each = list => (list.every(v => v === list[0]) ? list[0] : list.join("×"));
  for (const {attributes: a} of facts) {
    if (!Number(a.kernel_x)) continue;
    const of = key => ["z", "y", "x"].map(axis => a[`${key}_${axis}`]).filter(v => v !== undefined).map(Number);
    const parts = [of("kernel").join("×")];
    for (const [key, name] of [["stride", "stride"], ["dilation", "dilation"]])
      if (of(key).some(v => v > 1)) parts.push(`${name} ${each(of(key))}`);
    return parts.join(", ");
  }
  return "";
}

class Build {
  constructor(entry, index) {
    this.index = index;
    this.letter = "AB"[index];
    this.label = entry.label;
    this.report = unpack(entry.report);
    this.picture = unpack(entry.picture);
    this.findings = unpack(entry.findings);
    this.facts = new Map(unpack(entry.layer_facts).map(facts => [facts.name, facts]));
    this.performance = this.report.performance;
    // A network as it was read: nothing was built of it.
    this.isModel = this.report.command === "check";
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
      const names = [layer.name, ...(plan.members || [])];
      const found = (plan.results || []).map(r => errors.get("tensor " + r.name)).find(Boolean) ||
        names.map(n => errors.get("layer " + n)).find(Boolean);
      const facts = [...new Set(names)].map(n => this.facts.get(n)).filter(Boolean);
      const [unit, together] = (this.picture && this.picture.places || [])[index] || [unitOf(layer), ""];
      return {...plan, ...layer, index, build: this, error: found || null, facts, unit, together,
        window: windowText(facts), reads: [], readBy: [], events: 0};
    });
    this.byName = new Map(this.layers.map(layer => [layer.name, layer]));
    this.byMember = new Map(this.layers.flatMap(layer => (layer.members || []).map(name => [name, layer])));
    this.cycles = this.performance ? this.performance.cycles : 0;
    this.mostCycles = Math.max(1, ...this.layers.map(l => l.cycles || 0));
  }

  // By its own name, or that of one that was fused into it.
  find(name) { return this.byName.get(name) || this.byMember.get(name); }

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
    // What the model calls them, which the IR may not.
    inputs.forEach(t => add("input", t.model_name || t.name, null, t));
    layers.forEach((l, i) => add("layer", l.name, this.layers[i], (l.results || [])[0]));
    outputs.forEach(t => add("output", t.model_name || t.name, null, t));
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
    const tensors = new Set(this.nodes.flatMap(node =>
      node.layer ? (node.layer.results || []).map(r => r.name) : [node.tensor.name]));
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

const pageData = JSON.parse(document.getElementById("data").textContent);
const builds = pageData.builds.map((entry, index) => new Build(entry, index));
const isModel = builds[0].isModel;
const isComparison = builds.length > 1;

// The same layer of the other build.
const otherOf = layer => isComparison
  ? builds[1 - layer.build.index].byName.get(layer.name) || null : null;
