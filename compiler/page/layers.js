// Part of Yarrow, under the Apache License v2.0.
// All layers as a table: the network for those who do not see its graph.

// Rows of one build, or of both by the names of layers.
function layerRows() {
  if (!isComparison) return builds[0].layers.map(layer => ({layer, other: null, index: layer.index}));
  const rows = builds[0].layers.map(layer => ({layer, other: otherOf(layer), index: layer.index}));
  const added = builds[1].layers.filter(layer => !otherOf(layer)).map(layer => ({layer, other: null, index: layer.index, isNew: true}));
  return [...rows, ...added];
}

function layerColumns() {
  const of = key => row => row.layer[key];
  const sqnr = row => {
    const far = row.layer.error && row.layer.error.to_float;
    return !far ? null : far.sqnr_db === null ? Infinity : far.sqnr_db;
  };
  const columns = [
    {title: "#", value: row => row.index + 1},
    {title: "Layer", isText: true, class: "name", value: of("name")},
    {title: "Type", isText: true, value: of("type")},
    {title: "Unit", isText: true, value: of("unit"), text: row => unitTag(row.layer.unit)},
    {title: "Output", isText: true, class: "whole", value: row => shapeText((row.layer.results || [])[0])},
  ];
  if (isModel) return [...columns, ...modelColumns().filter(hasText)];
  if (isComparison) return [...columns,
    {title: "Cycles A", value: row => (row.isNew ? null : row.layer.cycles), text: row => (row.isNew ? "–" : count(row.layer.cycles))},
    {title: "Cycles B", value: row => (row.isNew ? row.layer.cycles : row.other && row.other.cycles),
      text: row => count(row.isNew ? row.layer.cycles : row.other ? row.other.cycles : null)},
    {title: "Change", hint: "Sort by the size of the change", value: row => Math.abs(cycleChange(row)), file: row => cycleChange(row), text: row => change(cycleChange(row), count)},
    {title: "DDR A", value: row => (row.isNew ? null : row.layer.ddr_bytes), text: row => bytes(row.isNew ? null : row.layer.ddr_bytes)},
    {title: "DDR B", value: row => (row.isNew ? row.layer.ddr_bytes : row.other && row.other.ddr_bytes),
      text: row => bytes(row.isNew ? row.layer.ddr_bytes : row.other ? row.other.ddr_bytes : null)},
    {title: "Limit", isText: true, value: row => [row.layer, row.other].filter(Boolean).map(l => l.limit || "–").filter((l, i, all) => !i || l !== all[0]).join(" → ")},
    {title: "SQNR A", value: row => (row.isNew ? null : sqnr(row)), text: row => (row.isNew || !row.layer.error ? "–" : decibels(row.layer.error.to_float))},
    {title: "SQNR B", value: row => (row.other ? sqnr({layer: row.other}) : null), text: row => (row.other && row.other.error ? decibels(row.other.error.to_float) : "–")},
  ];
  return [...columns,
    {title: "Cycles", value: of("cycles"), text: row => count(row.layer.cycles)},
    {title: "Share", csv: "Share %", value: row => (row.layer.build.cycles ? 100 * row.layer.cycles / row.layer.build.cycles : null),
      text: row => marked(percent(row.layer.cycles, row.layer.build.cycles), levelOfShare(row.layer))},
    {title: "Bound", hint: "The fewest cycles that the machine could need", value: of("bound_cycles"), text: row => count(row.layer.bound_cycles)},
    {title: "Limit", isText: true, value: row => row.layer.limit || "–"},
    {title: "MACs", value: of("macs"), text: row => count(row.layer.macs)},
    {title: "DDR", csv: "DDR bytes", value: of("ddr_bytes"), text: row => bytes(row.layer.ddr_bytes)},
    {title: "SRAM", csv: "SRAM bytes", value: of("sram_bytes"), text: row => bytes(row.layer.sram_bytes)},
    {title: "Weights", csv: "Weight bytes", value: of("weight_bytes"), text: row => bytes(row.layer.weight_bytes)},
    {title: "SQNR", csv: "SQNR dB", hint: "SQNR of the network up to here, relative to float", value: sqnr,
      text: row => { const far = row.layer.error && row.layer.error.to_float; return marked(decibels(far), levelOfError(far)); }},
    {title: "Reads", isText: true, value: row => row.layer.reads.map(node => node.name).join(", ")},
  ];
}

// Of a network before any build.
function modelColumns() {
  const of = key => row => row.layer[key];
  return [
    {title: "Window", isText: true, class: "whole", value: of("window")},
    {title: "Stored as", isText: true, value: row => ((row.layer.results || [])[0] || {}).type || ""},
    {title: "Parameters", value: row => parametersOf(row.layer), text: row => count(parametersOf(row.layer))},
    {title: "Weights", csv: "Weight bytes", value: of("weight_bytes"), text: row => bytes(row.layer.weight_bytes)},
    {title: "MACs", value: of("macs"), text: row => count(row.layer.macs)},
    {title: "Computed with", isText: true, value: row => (row.layer.together === row.layer.name ? "" : row.layer.together || "")},
    {title: "Why on TECs", isText: true, class: "why", value: row => row.layer.on_tecs || ""},
    {title: "Reads", isText: true, value: row => row.layer.reads.map(node => node.name).join(", ")},
  ];
}

// Columns of texts that no layer has are left out.
const hasText = column => !column.isText || builds[0].layers.some(layer => column.value({layer}));

// Numbers in the constants of a layer.
const parametersOf = layer => layer.facts.flatMap(facts => facts.constants)
  .reduce((sum, constant) => sum + constant.shape.reduce((a, b) => a * b, 1), 0);

const cycleChange = row => row.isNew ? row.layer.cycles
  : (row.other ? row.other.cycles || 0 : 0) - (row.layer.cycles || 0);

// The sums under the columns, by their titles.
function layerSums(rows) {
  const total = build => (build.performance || {}).total || {};
  const [first, second] = builds;
  const sum = value => rows.reduce((all, row) => all + (value(row.layer) || 0), 0);
  const sums = {"Layer": "total", "Cycles": count(first.cycles), "Share": first.cycles ? "100\u00a0%" : "",
    "Bound": count(total(first).bound_cycles), "MACs": count(isModel ? sum(l => l.macs) : total(first).macs),
    "DDR": bytes(total(first).ddr_bytes), "SRAM": bytes(total(first).sram_bytes),
    "Weights": bytes(sum(l => l.weight_bytes)), "Parameters": count(sum(parametersOf)),
    "Cycles A": count(first.cycles), "DDR A": bytes(total(first).ddr_bytes)};
  if (isComparison) Object.assign(sums, {"Cycles B": count(second.cycles), "DDR B": bytes(total(second).ddr_bytes),
    "Change": signed(second.cycles - first.cycles, count)});
  return sums;
}

function makeLayersView() {
  const columns = layerColumns(), rows = layerRows(), sums = layerSums(rows);
  const table = new SortedTable("All layers; headings sort them", columns, rows, columns.map(c => sums[c.title] || ""));
  // What matters most comes first; of a network that was not run, its own order.
  const first = columns.findIndex(column => column.title === (isComparison ? "Change" : "Share"));
  if (first >= 0) table.sort(first);
  table.mark(selection.layer);
  selection.listeners.push(layer => table.mark(layer));
  const found = element("span", {"aria-live": "polite"}, counted(rows.length, "layer"));
  const filter = element("input", {type: "search", placeholder: "Filter", "aria-label": "Filter the layers"});
  filter.addEventListener("input", () => {
    const sought = filter.value.trim().toLowerCase();
    const shown = table.fill(row => columns.some(column => column.isText && String(column.value(row)).toLowerCase().includes(sought)));
    found.textContent = counted(shown, "layer");
  });
  return element("div", {class: "view"},
    element("div", {class: "tools"}, filter, found, isModel ? null : levelLegend(),
      element("span", {class: "end"}, "headings sort; Enter shows details"),
      downloadButton("CSV", "Save the table as CSV", () =>
        saveFile(fileName("layers", "csv"), "text/csv", csvOf(columns, table.shownRows)))),
    element("div", {class: "view scrolls table"}, table.table));
}
