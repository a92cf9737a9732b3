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
      element("div", {class: "top"}, element("h2", {title: layer.name}, shortName(layer.name, 110)), close),
      element("p", {}, isModel && layer.unit === "none" ? "" : unitTag(layer.unit), " " + [layer.type, layer.window].filter(Boolean).join(", ")),
      layer.file ? element("p", {}, element("code", {},
        layer.line ? `${layer.file}:${layer.line}` : layer.file)) : "");
    this.addMembers(layer);
    this.addReasons(layer);
    for (const shown of [layer, otherOf(layer)]) if (shown) this.addFigures(shown);
    if (isModel) this.addModel(layer);
    this.addTensors(layer);
    this.addValues(layer);
    this.addAttributes(layer);
    this.addConstants(layer);
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

  // What findings say of it, and why TECs compute it.
  addReasons(layer) {
    const about = layer.build.findings.flatMap(finding =>
      finding.layers.filter(found => layer.build.find(found.name) === layer).map(found => ({finding, found})));
    if (!about.length && !layer.on_tecs) return;
    this.heading("Findings");
    for (const {finding, found} of about)
      this.box.append(element("p", {class: "reason"}, marked("", finding.severity), " ",
        finding.subject === "speed" ? `${percent(found.cycles, layer.build.cycles)} of the cycles; at best ${count(found.saves)} of them are saved. ` : "",
        found.why));
    if (layer.on_tecs && !about.some(({found}) => found.why === layer.on_tecs))
      this.box.append(element("p", {class: "reason"}, isModel && layer.unit !== "tec" ? "" : "On the TECs: ", layer.on_tecs));
  },

  // Of a network before any build.
  addModel(layer) {
    this.heading("Work");
    const isPart = layer.together && layer.together !== layer.name;
    this.list([
      layer.build.report.target ? ["Computed by", isFolded(layer) ? "none: folded" : UNITS[layer.unit].name] : null,
      isPart ? [isFolded(layer) ? "Part of" : "Together with", layer.together] : null,
      layer.macs ? ["MACs", count(layer.macs)] : null,
      parametersOf(layer) ? ["Parameters", count(parametersOf(layer))] : null,
      ["Weights", bytes(layer.weight_bytes)],
      ["Inputs", bytes(layer.in_bytes)],
      ["Outputs", bytes(layer.out_bytes)],
    ]);
  },

  // How what it makes is spread, and where its noise comes from.
  addValues(layer) {
    const results = layer.facts.flatMap(facts => facts.results);
    if (!results.length) return;
    this.heading("Values in the float network");
    for (const {tensor, values, range, parts} of results) {
      if (results.length > 1) this.box.append(element("p", {}, tensor));
      if (values) this.box.append(histogram(values, range, `Values of ${tensor}`));
      if (values)
        this.box.append(element("p", {}, `${real(values.min)} to ${real(values.max)}` +
          (range ? `; dashed: the range of its integers, ${real(range[0])} to ${real(range[1])}` : "")));
      if (parts) this.addParts(parts);
    }
  },

  // In per cent of the signal's energy, the largest first.
  addParts(parts) {
    const names = {inherited: "its inputs", weight_round: "rounding of weights", weight_clip: "clipping of weights",
      bias: "rounding of the bias", multiplier: "rounding of the scale", output_clip: "clipping of the result",
      output_round: "rounding of the result", method: "how it computes"};
    const shares = Object.entries(names).map(([key, name]) => [name, parts[key]]).filter(([, share]) => share > 0)
      .sort((a, b) => b[1] - a[1]).slice(0, 4);
    this.box.append(element("p", {}, "Noise by the signal, from"));
    const text = share => Number((100 * share).toPrecision(2)) + "\u00a0%";
    this.list([...shares, ["together", parts.total]].map(([name, share]) => [name, text(share)]));
  },

  addAttributes(layer) {
    for (const {name, attributes} of layer.facts) {
      const entries = Object.entries(attributes);
      if (!entries.length) continue;
      this.heading(layer.facts.length > 1 ? `Attributes of ${name}` : "Attributes");
      this.list(entries.map(([key, value]) => [key, value === "" ? "–" : value]));
    }
  },

  addConstants(layer) {
    for (const constant of layer.facts.flatMap(facts => facts.constants)) {
      const {key, type, shape, values} = constant;
      this.heading("Constant " + key);
      this.list([["Type", type], ["Shape", shape.join("×") || "scalar"], ["Size", bytes(constant.bytes)]]);
      if (values && values.counts.length > 1)
        this.box.append(histogram(values, null, `Numbers of ${key}`),
          element("p", {}, `${real(values.min)} to ${real(values.max)}`));
      else if (values) this.box.append(element("p", {}, values.min === values.max ? `all are ${real(values.min)}`
        : `${real(values.min)} to ${real(values.max)}`));
    }
  },

  heading(text) { this.box.append(element("h3", {}, text)); },

  list(rows) {
    this.box.append(element("dl", {}, ...rows.filter(Boolean).flatMap(([name, value]) =>
      [element("dt", {}, name), typeof value === "string" && value.length > 110
        ? element("dd", {title: value}, shortName(value, 110)) : element("dd", {}, value)])));
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
      ["SQNR in the network", marked(decibels(far), levelOfError(far))],
      far ? ["Cosine", marked(fixed(far.cosine, 6), levelOfCosine(far))] : null,
      far ? ["Largest error", real(far.max_error)] : null,
      ["SQNR of the layer alone", marked(decibels(own), levelOfError(own))],
      known(error.clipped_share) ? ["Clipped values",
        marked(percent(error.clipped_share, 1, 3), levelOfClipping(error.clipped_share))] : null,
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
        isFloatTensor(tensor) ? null : ["Scale", real(tensor.scale)],
        isFloatTensor(tensor) ? null : ["Zero point", count(tensor.zero_point)],
      ]);
    }
    if (tensors.some(tensor => !isFloatTensor(tensor))) this.box.append(element("p", {}, "real = (stored + zero point) / scale"));
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
        }, title: node.name}, [shortName(node.name, 80), isModel && node.tensor ? `${node.tensor.type} ${shapeText(node.tensor)}` : ""].filter(Boolean).join(" · "))
        : element("span", {}, [`${node.name} (${node.kind})`, isModel && node.tensor ? `${node.tensor.type} ${shapeText(node.tensor)}` : ""].filter(Boolean).join(" ")));
    this.box.append(links);
  },
};

const isFloatTensor = tensor => /float/.test(tensor.type);

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
