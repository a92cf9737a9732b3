// Part of Yarrow, under the Apache License v2.0.
// Tables: all layers, which is the graph for those who do not see it; the
// accuracy; and what the compiler said.

// A table that its headings sort. Columns are {title, value(row), text(row),
// isText, title of the cell}.
class SortedTable {
  constructor(caption, columns, rows, footer) {
    this.columns = columns;
    this.rows = [...rows];
    this.column = -1;
    const heading = (column, i) => element("th", {class: column.isText ? "" : "n", scope: "col", "aria-sort": "none"},
      element("button", {type: "button", title: column.hint || "Sort", onclick: () => this.sort(i)}, column.title));
    this.body = element("tbody");
    this.headings = columns.map(heading);
    this.table = element("table", {}, element("caption", {hidden: true}, caption),
      element("thead", {}, element("tr", {}, ...this.headings)), this.body);
    if (footer) this.table.append(element("tfoot", {}, element("tr", {}, ...footer.map((text, i) =>
      element("td", {class: columns[i].isText ? "" : "n"}, text)))));
    this.elements = new Map(this.rows.map(row => [row, this.makeRow(row)]));
    this.fill();
    this.body.addEventListener("keydown", event => this.key(event));
  }

  makeRow(row) {
    const line = element("tr", {class: "row", tabindex: "-1"});
    for (const column of this.columns) {
      const shown = column.text ? column.text(row) : column.value(row);
      line.append(element("td", {class: column.isText ? column.class : "n"}, shown));
    }
    line.addEventListener("click", () => this.open(row, line));
    return line;
  }

  open(row, line) {
    const layer = row.layer || row;
    details.cameFrom = line;
    this.focus(line);
    selection.pick(layer);
  }

  focus(line) {
    if (this.current) this.current.setAttribute("tabindex", "-1");
    this.current = line;
    line.setAttribute("tabindex", "0");
    line.focus({preventScroll: false});
  }

  fill(filter = () => true) {
    const shown = this.rows.filter(filter);
    this.body.replaceChildren(...shown.map(row => this.elements.get(row)));
    if (!this.current || !this.current.isConnected) {
      this.current = this.body.firstElementChild;
      if (this.current) this.current.setAttribute("tabindex", "0");
    }
    this.filter = filter;
    return shown.length;
  }

  sort(index) {
    // Numbers from the largest, texts from A; a second time the other way.
    const isText = this.columns[index].isText;
    this.isDown = this.column === index ? !this.isDown : !isText;
    this.column = index;
    const value = row => this.columns[index].value(row);
    const sign = this.isDown ? -1 : 1;
    const last = v => v === null || v === undefined || Number.isNaN(v);
    this.rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (last(x) || last(y)) return last(x) - last(y);
      return sign * (isText ? String(x).localeCompare(String(y), "en", {numeric: true}) : x - y);
    });
    this.headings.forEach((heading, i) =>
      heading.setAttribute("aria-sort", i !== index ? "none" : this.isDown ? "descending" : "ascending"));
    this.fill(this.filter);
  }

  key(event) {
    const line = event.target.closest("tr");
    const moves = {ArrowDown: () => line.nextElementSibling, ArrowUp: () => line.previousElementSibling,
      Home: () => this.body.firstElementChild, End: () => this.body.lastElementChild};
    if (moves[event.key]) {
      const next = moves[event.key]();
      if (next) this.focus(next);
    } else if (event.key === "Enter") {
      for (const [row, element] of this.elements)
        if (element === line) openDetails(row.layer || row, line);
    } else return;
    event.preventDefault();
  }

  mark(layer) {
    for (const [row, line] of this.elements)
      line.classList.toggle("picked", Boolean(layer) && ((row.layer || row) === layer || row.other === layer));
  }
}

const signed = (value, text) => (value > 0 ? "+" : value < 0 ? "−" : "±") + text(Math.abs(value));
const change = (value, text, isGoodDown = true) => element("span",
  {class: value === 0 ? "" : (value < 0) === isGoodDown ? "better" : "worse"}, signed(value, text));

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
    {title: "Output", isText: true, value: row => shapeText((row.layer.results || [])[0])},
  ];
  if (isComparison) return [...columns,
    {title: "Cycles A", value: row => (row.isNew ? null : row.layer.cycles), text: row => (row.isNew ? "–" : count(row.layer.cycles))},
    {title: "Cycles B", value: row => (row.isNew ? row.layer.cycles : row.other && row.other.cycles),
      text: row => count(row.isNew ? row.layer.cycles : row.other ? row.other.cycles : null)},
    {title: "Change", hint: "Sort by the size of the change", value: row => Math.abs(cycleChange(row)), text: row => change(cycleChange(row), count)},
    {title: "DDR A", value: row => (row.isNew ? null : row.layer.ddr_bytes), text: row => bytes(row.isNew ? null : row.layer.ddr_bytes)},
    {title: "DDR B", value: row => (row.isNew ? row.layer.ddr_bytes : row.other && row.other.ddr_bytes),
      text: row => bytes(row.isNew ? row.layer.ddr_bytes : row.other ? row.other.ddr_bytes : null)},
    {title: "Limit", isText: true, value: row => [row.layer, row.other].filter(Boolean).map(l => l.limit || "–").filter((l, i, all) => !i || l !== all[0]).join(" → ")},
    {title: "SQNR A", value: row => (row.isNew ? null : sqnr(row)), text: row => (row.isNew || !row.layer.error ? "–" : decibels(row.layer.error.to_float))},
    {title: "SQNR B", value: row => (row.other ? sqnr({layer: row.other}) : null), text: row => (row.other && row.other.error ? decibels(row.other.error.to_float) : "–")},
  ];
  return [...columns,
    {title: "Cycles", value: of("cycles"), text: row => count(row.layer.cycles)},
    {title: "Share", value: of("cycles"), text: row => percent(row.layer.cycles, row.layer.build.cycles)},
    {title: "Bound", hint: "Least that the machine could need", value: of("bound_cycles"), text: row => count(row.layer.bound_cycles)},
    {title: "Limit", isText: true, value: row => row.layer.limit || "–"},
    {title: "MACs", value: of("macs"), text: row => count(row.layer.macs)},
    {title: "DDR", value: of("ddr_bytes"), text: row => bytes(row.layer.ddr_bytes)},
    {title: "SRAM", value: of("sram_bytes"), text: row => bytes(row.layer.sram_bytes)},
    {title: "Weights", value: of("weight_bytes"), text: row => bytes(row.layer.weight_bytes)},
    {title: "SQNR", hint: "Of the network up to here, to float", value: sqnr, text: row => decibels(row.layer.error && row.layer.error.to_float)},
    {title: "Reads", isText: true, value: row => row.layer.reads.map(node => node.name).join(", ")},
  ];
}
const cycleChange = row => row.isNew ? row.layer.cycles
  : (row.other ? row.other.cycles || 0 : 0) - (row.layer.cycles || 0);

function makeLayersView() {
  const columns = layerColumns(), rows = layerRows();
  const sums = {"Layer": "total", "Cycles": count(builds[0].cycles), "Cycles A": count(builds[0].cycles)};
  const total = build => (build.performance || {}).total || {};
  Object.assign(sums, {"MACs": count(total(builds[0]).macs), "DDR": bytes(total(builds[0]).ddr_bytes),
    "SRAM": bytes(total(builds[0]).sram_bytes), "DDR A": bytes(total(builds[0]).ddr_bytes)});
  if (isComparison) Object.assign(sums, {"Cycles B": count(builds[1].cycles), "DDR B": bytes(total(builds[1]).ddr_bytes),
    "Change": signed(builds[1].cycles - builds[0].cycles, count)});
  const table = new SortedTable("All layers, in the order of the network", columns, rows, columns.map(c => sums[c.title] || ""));
  if (isComparison) table.sort(columns.findIndex(column => column.title === "Change"));
  table.mark(selection.layer);
  selection.listeners.push(layer => table.mark(layer));
  const found = element("span", {"aria-live": "polite"}, `${count(rows.length)} layers`);
  const filter = element("input", {type: "search", placeholder: "Filter", "aria-label": "Filter the layers"});
  filter.addEventListener("input", () => {
    const sought = filter.value.trim().toLowerCase();
    const shown = table.fill(row => columns.some(column => column.isText && String(column.value(row)).toLowerCase().includes(sought)));
    found.textContent = `${count(shown)} layers`;
  });
  return element("div", {class: "view"},
    element("div", {class: "tools"}, filter, found, element("span", {class: "end"}, "headings sort; Enter shows details")),
    element("div", {class: "view scrolls"}, table.table));
}

//--- Accuracy --------------------------------------------------------------

// Of float, int, NPU: every figure that one of them has.
function accuracyTable(build) {
  const {networks, samples} = build.report.accuracy;
  const titles = [], cells = {};
  const put = (name, title, text) => {
    if (!titles.includes(title)) titles.push(title);
    (cells[name] ||= {})[title] = text;
  };
  for (const [name, network] of Object.entries(networks)) {
    cells[name] ||= {};
    for (const [key, value] of Object.entries(network)) {
      if (/^top\d+$/.test(key)) put(name, `Top-${key.slice(3)}`, fixed(value, 2) + " %");
      else if (key === "metrics") for (const [metric, found] of Object.entries(value)) put(name, metric, real(found.value));
      else if (key.startsWith("to_") && value) {
        put(name, `SQNR to ${key.slice(3)}`, decibels(value));
        put(name, "Cosine", fixed(value.cosine, 6));
        put(name, "Largest error", real(value.max_error));
      } else if (key.startsWith("answers_as_") && value) put(name, `Answers as ${key.slice(11)}`, fixed(value.agreed_percent, 2) + " %");
    }
  }
  const order = ["float", "int", "other", "npu"].filter(name => cells[name]);
  return element("div", {},
    element("p", {class: "note"}, `${count(samples)} samples.`),
    element("table", {}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Network"),
      ...titles.map(title => element("th", {class: "n", scope: "col"}, title)))),
    element("tbody", {}, ...order.map(name => element("tr", {}, element("th", {scope: "row"}, name === "npu" ? "NPU" : name),
      ...titles.map(title => element("td", {class: "n"}, cells[name][title] ?? "–")))))));
}

// SQNR layer by layer: in the network a line with circles, alone one with squares.
function lossPlot(errors) {
  const [width, height, left, bottom, top] = [1000, 250, 48, 26, 10];
  const finite = errors.flatMap(e => [e.own, e.to_float]).filter(e => e && known(e.sqnr_db)).map(e => e.sqnr_db);
  const most = Math.max(10, Math.ceil(Math.max(0, ...finite) / 10) * 10);
  const x = i => left + (i + 0.5) * (width - left - 12) / errors.length;
  const y = db => top + (1 - Math.min(1, Math.max(0, db / most))) * (height - top - bottom);
  let inner = "";
  for (let db = 0; db <= most; db += most > 60 ? 20 : 10)
    inner += `<line class="grid" x1="${left}" x2="${width}" y1="${y(db)}" y2="${y(db)}"/><text x="${left - 8}" y="${y(db) + 4}" text-anchor="end">${db}</text>`;
  for (const [key, unit, shape] of [["own", "tec", "dma"], ["to_float", "tensor", "tensor"]]) {
    const points = errors.map((e, i) => [e, i]).filter(([e]) => e[key] && known(e[key].sqnr_db));
    inner += `<polyline class="loss" style="stroke:var(--${unit})" points="${points.map(([e, i]) => `${x(i)},${y(e[key].sqnr_db)}`).join(" ")}"/>`;
    for (const [e, i] of points)
      inner += `<path class="${unit}" d="${markPath(shape, x(i), y(e[key].sqnr_db), 3.2)}"><title>${escaped(`${e.name}: ${decibels(e[key])} ${key === "own" ? "alone" : "in the network"}`)}</title></path>`;
  }
  inner += `<text x="${width / 2}" y="${height - 6}" text-anchor="middle">layers in the order of the network; dB to the float network</text>`;
  const box = element("div", {role: "img", "aria-label": "SQNR of every layer, also in the table below"});
  box.innerHTML = `<svg class="plot-svg" viewBox="0 0 ${width} ${height}" style="max-width:1100px;height:auto">${inner}</svg>`;
  return box;
}

// Outputs by the model's names; of scores also which side of their threshold they are on.
function outputTable(rows) {
  const far = row => row.error.to_float, sides = row => row.error.decisions;
  return new SortedTable("Distance to float, output by output", [
    {title: "Output", isText: true, class: "name", value: row => row.error.output || row.error.tensor},
    {title: "SQNR", value: row => far(row).sqnr_db ?? Infinity, text: row => decibels(far(row))},
    {title: "Cosine", value: row => far(row).cosine, text: row => fixed(far(row).cosine, 6)},
    {title: "Largest error", value: row => far(row).max_error, text: row => real(far(row).max_error)},
    {title: "Threshold", value: row => (sides(row) ? sides(row).threshold : null),
      text: row => (sides(row) ? String(sides(row).threshold) : "–")},
    {title: "Same side", value: row => (sides(row) ? sides(row).same_share : null),
      text: row => (sides(row) ? percent(sides(row).same_share, 1, 2) : "–")},
    {title: "Above", value: row => (sides(row) ? sides(row).found : null),
      text: row => (sides(row) ? `${count(sides(row).found)} of ${count(sides(row).above)}` : "–")},
  ], rows).table;
}

function makeAccuracyView() {
  const view = element("div", {class: "view scrolls"});
  for (const build of builds) {
    const name = isComparison ? `${build.letter}: ${build.label}` : "";
    if (name) view.append(element("h2", {}, name));
    view.append(build.report.accuracy ? accuracyTable(build)
      : element("p", {class: "note"}, "The accuracy was not measured: that needs data."));
    const quantized = (build.report.quantization || build.report.diagnosis || {}).layers || [];
    const errors = quantized.filter(error => error.to_float || error.own);
    if (!errors.length) {
      view.append(element("p", {class: "note"}, "Distances of single layers to float are not known: the network came in integers, or without samples."));
      continue;
    }
    const legend = element("p", {class: "note"});
    legend.innerHTML = '<span class="legend"><span><svg width="16" height="14"><path class="tensor" d="' + markPath("tensor", 8, 7, 5) +
      '"/></svg>in the network</span><span><svg width="16" height="14"><path class="tec" d="' + markPath("dma", 8, 7, 5) + '"/></svg>the layer alone, on the float network\'s inputs</span></span>';
    const rows = errors.map((error, i) => ({error, index: i, layer: build.layers.find(l => l.error === error) ||
      {...error, build, unit: "none", reads: [], readBy: [], error}}));
    const outputs = rows.filter(row => row.error.is_output && row.error.to_float);
    if (outputs.length)
      view.append(element("h2", {}, "What each output loses"), element("div", {class: "scroll"}, outputTable(outputs)));
    view.append(element("h2", {}, "What each layer loses"), legend, lossPlot(errors));
    const db = part => row => (row.error[part] ? row.error[part].sqnr_db ?? Infinity : null);
    const table = new SortedTable("Distance to float, layer by layer", [
      {title: "#", value: row => row.index + 1},
      {title: "Layer", isText: true, class: "name", value: row => row.error.name},
      {title: "Type", isText: true, value: row => row.error.type},
      {title: "Stored as", isText: true, value: row => row.error.element_type},
      {title: "Scale", value: row => row.error.scale, text: row => real(row.error.scale)},
      {title: "Zero point", value: row => row.error.zero_point, text: row => count(row.error.zero_point)},
      {title: "SQNR", value: db("to_float"), text: row => decibels(row.error.to_float)},
      {title: "Alone", value: db("own"), text: row => decibels(row.error.own)},
      {title: "Cosine", value: row => row.error.to_float && row.error.to_float.cosine, text: row => fixed(row.error.to_float && row.error.to_float.cosine, 6)},
      {title: "Largest error", value: row => row.error.to_float && row.error.to_float.max_error, text: row => real(row.error.to_float && row.error.to_float.max_error)},
      {title: "Clipped", value: row => row.error.clipped_share, text: row => percent(row.error.clipped_share, 1, 3)},
    ], rows);
    selection.listeners.push(layer => table.mark(layer));
    view.append(element("div", {class: "scroll"}, table.table));
  }
  return view;
}

//--- Findings --------------------------------------------------------------

const findingsOf = build => build.report.diagnostics || [];

function findingItem(finding) {
  const place = [finding.file, finding.line].filter(Boolean).join(":");
  return element("li", {class: finding.severity},
    element("span", {class: "kind"}, `${finding.severity} ${finding.code || ""}`), finding.message || "",
    ...[["found", finding.found], ["expected", finding.expected], ["help", finding.hint]]
      .filter(([, text]) => text).map(([name, text]) => element("p", {}, `${name}: ${text}`)),
    place ? element("p", {}, element("code", {}, place)) : null);
}

function makeFindingsView() {
  const view = element("div", {class: "view scrolls"});
  for (const build of builds) {
    if (isComparison) view.append(element("h2", {}, `${build.letter}: ${build.label}`));
    const findings = findingsOf(build);
    view.append(findings.length ? element("ul", {class: "findings"}, ...findings.map(findingItem))
      : element("p", {class: "note"}, "Nothing was found wrong: the compiler had no warnings and no notes."));
    const remedies = (build.report.diagnosis || {}).remedies || [];
    if (remedies.length)
      view.append(element("h2", {}, "Remedies that were tried"), element("table", {},
        element("thead", {}, element("tr", {}, ...["Remedy", "Why"].map(t => element("th", {scope: "col"}, t)),
          ...["SQNR", "Gain", "Cycles"].map(t => element("th", {scope: "col", class: "n"}, t)))),
        element("tbody", {}, ...remedies.map(r => element("tr", {class: r.is_taken ? "picked" : ""},
          element("td", {class: "name"}, r.remedy), element("td", {}, r.why), element("td", {class: "n"}, fixed(r.sqnr_db, 1)),
          element("td", {class: "n"}, fixed(r.gain_db, 1)), element("td", {class: "n"}, count(r.cycles)))))));
  }
  return view;
}
