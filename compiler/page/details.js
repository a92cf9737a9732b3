// Part of Yarrow, under the Apache License v2.0.
// Everything that is known of the layer that is selected, at the right.

const details = {
  box: document.getElementById("details"),
  cameFrom: null, // where Escape and the button lead back to

  show(layer) {
    this.box.hidden = !layer;
    this.box.replaceChildren();
    if (!layer) return;
    const close = element("button", {type: "button", "aria-label": "Close the details (Escape)",
      onclick: () => this.close()}, "✕");
    this.box.append(
      element("div", {class: "top"}, element("h2", {}, layer.name), close),
      element("p", {}, unitTag(layer.unit), " " + layer.type),
      layer.file ? element("p", {}, element("code", {},
        layer.line ? `${layer.file}:${layer.line}` : layer.file)) : "");
    this.addMembers(layer);
    for (const shown of [layer, otherOf(layer)]) if (shown) this.addFigures(shown);
    this.addTensors(layer);
    this.addLinks("Reads", layer.reads);
    this.addLinks("Read by", layer.readBy);
  },

  close() {
    const back = this.cameFrom;
    selection.pick(null);
    if (back && back.isConnected) back.focus();
  },

  // Of what the layer was fused from.
  addMembers(layer) {
    if (!layer.members || layer.members.length < 2) return;
    this.heading("Fused layers");
    this.box.append(element("p", {}, layer.members.join(", ")));
  },

  heading(text) { this.box.append(element("h3", {}, text)); },

  list(rows) {
    this.box.append(element("dl", {}, ...rows.filter(Boolean).flatMap(([name, value]) =>
      [element("dt", {}, name), element("dd", {}, value)])));
  },

  addFigures(layer) {
    const of = isComparison ? ` of ${layer.build.letter}` : "";
    if (known(layer.cycles)) {
      this.heading("Cycles" + of);
      this.list([
        ["Cycles", `${count(layer.cycles)}  (${percent(layer.cycles, layer.build.cycles)})`],
        ["Bound", count(layer.bound_cycles)],
        ["Limit", layer.limit || "–"],
        ["First start to last end", count(layer.span_cycles)],
        ["Tensor engine", count(layer.tensor_engine_cycles)],
        ["TECs", count(layer.tec_cycles)],
        ["DMA", count(layer.dma_cycles)],
        layer.tec_instructions ? ["TEC instructions", count(layer.tec_instructions)] : null,
      ]);
      this.addMeter(layer);
      this.heading("Work and memory" + of);
      this.list([
        ["MACs", count(layer.macs)],
        layer.macs ? ["MACs per cycle", fixed(layer.macs / Math.max(1, layer.cycles), 1)] : null,
        ["DDR traffic", bytes(layer.ddr_bytes)],
        layer.ddr_spared_bytes ? ["Spared by weight streams", bytes(layer.ddr_spared_bytes)] : null,
        ["SRAM traffic", bytes(layer.sram_bytes)],
        ["Weights", bytes(layer.weight_bytes)],
        ["Inputs", bytes(layer.in_bytes)],
        ["Outputs", bytes(layer.out_bytes)],
      ]);
    }
    if (layer.error) this.addError(layer.error, of);
  },

  // Busy cycles of the units, side by side.
  addMeter(layer) {
    const parts = [["tensor", layer.tensor_engine_cycles], ["tec", layer.tec_cycles], ["dma", layer.dma_cycles]];
    const sum = parts.reduce((total, [, cycles]) => total + cycles, 0);
    if (!sum) return;
    const text = parts.map(([unit, cycles]) => `${UNITS[unit].short} ${percent(cycles, sum, 0)}`).join(", ");
    const bar = element("div", {class: "meter", role: "img", "aria-label": "Busy: " + text});
    for (const [unit, cycles] of parts) {
      const part = element("i", {class: unit});
      part.style.width = 100 * cycles / sum + "%";
      bar.append(part);
    }
    this.box.append(bar, element("p", {}, "Busy: " + text));
  },

  addError(error, of) {
    this.heading("Distance to float" + of);
    const {to_float: far, own} = error;
    this.list([
      ["SQNR in the network", decibels(far)],
      far ? ["Cosine", fixed(far.cosine, 6)] : null,
      far ? ["Largest error", real(far.max_error)] : null,
      ["SQNR of the layer alone", decibels(own)],
      known(error.clipped_share) ? ["Clipped values", percent(error.clipped_share, 1, 3)] : null,
    ]);
  },

  addTensors(layer) {
    const tensors = layer.results && layer.results.length ? layer.results
      : layer.error ? [{name: layer.error.tensor, type: layer.error.element_type,
        scale: layer.error.scale, zero_point: layer.error.zero_point}] : [];
    for (const tensor of tensors) {
      this.heading("Makes");
      this.list([
        ["Tensor", tensor.name],
        ["Type", tensor.type],
        tensor.shape ? ["Shape", shapeText(tensor)] : null,
        ["Scale", real(tensor.scale)],
        ["Zero point", count(tensor.zero_point)],
      ]);
    }
    if (tensors.length) this.box.append(element("p", {}, "real = (stored + zero point) / scale"));
  },

  addLinks(title, nodes) {
    if (!nodes.length) return;
    this.heading(title);
    const links = element("div", {class: "links"});
    for (const node of nodes)
      links.append(node.layer
        ? element("button", {type: "button", onclick: () => {
          selection.pick(node.layer);
          this.box.focus();
        }}, node.name)
        : element("span", {}, `${node.name} (${node.kind})`));
    this.box.append(links);
  },
};

selection.listeners.push(layer => details.show(layer));

// Selects what has the focus, and goes to its details.
function openDetails(layer, from) {
  details.cameFrom = from || document.activeElement;
  selection.pick(layer);
  details.box.focus();
}

document.addEventListener("keydown", event => {
  if (event.key === "Escape" && selection.layer) {
    details.close();
    event.preventDefault();
  }
});
