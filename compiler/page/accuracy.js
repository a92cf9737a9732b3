// Part of Yarrow, under the Apache License v2.0.
// Float, integer and NPU side by side, and what each output and layer loses.

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
        put(name, `SQNR to ${key.slice(3)}`, marked(decibels(value), levelOfError(value)));
        put(name, "Cosine", marked(fixed(value.cosine, 6), levelOfCosine(value)));
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

const LOSS = {width: 1000, height: 250};

// SQNR layer by layer: in the network a line with circles, alone one with squares.
function lossPlot(errors) {
  const {width, height} = LOSS, [left, bottom, top] = [48, 26, 10];
  const finite = errors.flatMap(e => [e.own, e.to_float]).filter(e => e && known(e.sqnr_db)).map(e => e.sqnr_db);
  const most = Math.max(30, Math.ceil(Math.max(0, ...finite) / 10) * 10);
  const right = width - 104; // behind it the thresholds have their names
  const x = i => left + (i + 0.5) * (right - left) / errors.length;
  const y = db => top + (1 - Math.min(1, Math.max(0, db / most))) * (height - top - bottom);
  let inner = "";
  for (let db = 0; db <= most; db += most > 60 ? 20 : 10)
    inner += `<line class="grid" x1="${left}" x2="${right}" y1="${y(db)}" y2="${y(db)}"/><text x="${left - 8}" y="${y(db) + 4}" text-anchor="end">${db}</text>`;
  limits.sqnr_db.forEach((db, i) => {
    const level = ["look", "bad"][i];
    inner += `<line class="limit ${level}" x1="${left}" x2="${right}" y1="${y(db)}" y2="${y(db)}"/>` +
      `<text class="level ${level}" x="${right + 8}" y="${y(db) + 4}">${LEVELS[level].sign} below ${db} dB</text>`;
  });
  for (const [key, unit, shape] of [["own", "tec", "dma"], ["to_float", "tensor", "tensor"]]) {
    const points = errors.map((e, i) => [e, i]).filter(([e]) => e[key] && known(e[key].sqnr_db));
    inner += `<polyline class="loss" style="stroke:var(--${unit})" points="${points.map(([e, i]) => `${x(i)},${y(e[key].sqnr_db)}`).join(" ")}"/>`;
    for (const [e, i] of points)
      inner += `<path class="${unit}" d="${markPath(shape, x(i), y(e[key].sqnr_db), 3.2)}"><title>${escaped(`${e.name}: ${decibels(e[key])} ${key === "own" ? "alone" : "in the network"}`)}</title></path>`;
  }
  inner += `<text x="${(left + right) / 2}" y="${height - 6}" text-anchor="middle">layers in the order of the network; dB relative to the float network</text>`;
  const box = element("div", {role: "img", "aria-label": "SQNR of every layer, also in the table below"});
  box.innerHTML = `<svg class="plot-svg" viewBox="0 0 ${width} ${height}" style="max-width:1100px;height:auto">${inner}</svg>`;
  return box;
}

// Outputs by the model's names; of scores also which side of their threshold they are on.
function outputTable(rows) {
  const far = row => row.error.to_float, sides = row => row.error.decisions;
  return new SortedTable("Distance to float, output by output", [
    {title: "Output", isText: true, class: "name", value: row => row.error.output || row.error.tensor},
    {title: "SQNR", csv: "SQNR dB", value: row => far(row).sqnr_db ?? Infinity, text: row => marked(decibels(far(row)), levelOfError(far(row)))},
    {title: "Cosine", value: row => far(row).cosine, text: row => marked(fixed(far(row).cosine, 6), levelOfCosine(far(row)))},
    {title: "Largest error", value: row => far(row).max_error, text: row => real(far(row).max_error)},
    {title: "Threshold", value: row => (sides(row) ? sides(row).threshold : null),
      text: row => (sides(row) ? String(sides(row).threshold) : "–")},
    {title: "Same side", value: row => (sides(row) ? sides(row).same_share : null),
      text: row => (sides(row) ? marked(percent(sides(row).same_share, 1, 2), levelOfSides(sides(row))) : "–")},
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
      view.append(element("p", {class: "note"}, "The distance of single layers to float is not known: the network came in integers, or without samples."));
      continue;
    }
    const legend = element("div", {class: "note"});
    legend.innerHTML = '<span class="legend"><span><svg width="16" height="14"><path class="tensor" d="' + markPath("tensor", 8, 7, 5) +
      '"/></svg>in the network</span><span><svg width="16" height="14"><path class="tec" d="' + markPath("dma", 8, 7, 5) + '"/></svg>the layer alone, on the float network\'s inputs</span></span>';
    legend.append(levelLegend());
    const rows = errors.map((error, i) => ({error, index: i, layer: build.layers.find(l => l.error === error) ||
      {...error, build, unit: "none", reads: [], readBy: [], error}}));
    const outputs = rows.filter(row => row.error.is_output && row.error.to_float);
    if (outputs.length)
      view.append(element("h2", {}, "What each output loses"), element("div", {class: "scroll"}, outputTable(outputs)));
    const plot = lossPlot(errors);
    view.append(element("div", {class: "titled"}, element("h2", {}, "What each layer loses"),
      downloadButton("SVG", "Save the plot as SVG", () =>
        saveSvg("accuracy" + letterOf(build), svgText(plot.querySelector("svg"), LOSS.width, LOSS.height))),
      downloadButton("CSV", "Save the table as CSV", () =>
        saveFile(fileName("accuracy" + letterOf(build), "csv"), "text/csv", csvOf(columns, table.rows)))),
    legend, plot);
    const db = part => row => (row.error[part] ? row.error[part].sqnr_db ?? Infinity : null);
    const columns = [
      {title: "#", value: row => row.index + 1},
      {title: "Layer", isText: true, class: "name", value: row => row.error.name},
      {title: "Type", isText: true, value: row => row.error.type},
      {title: "Stored as", isText: true, value: row => row.error.element_type},
      {title: "Scale", value: row => row.error.scale, text: row => real(row.error.scale)},
      {title: "Zero point", value: row => row.error.zero_point, text: row => count(row.error.zero_point)},
      {title: "SQNR", csv: "SQNR dB", value: db("to_float"), text: row => marked(decibels(row.error.to_float), levelOfError(row.error.to_float))},
      {title: "Alone", csv: "SQNR alone dB", value: db("own"), text: row => marked(decibels(row.error.own), levelOfError(row.error.own))},
      {title: "Cosine", value: row => row.error.to_float && row.error.to_float.cosine,
        text: row => marked(fixed(row.error.to_float && row.error.to_float.cosine, 6), levelOfCosine(row.error.to_float))},
      {title: "Largest error", value: row => row.error.to_float && row.error.to_float.max_error, text: row => real(row.error.to_float && row.error.to_float.max_error)},
      {title: "Clipped", csv: "Clipped share", value: row => row.error.clipped_share,
        text: row => marked(percent(row.error.clipped_share, 1, 3), levelOfClipping(row.error.clipped_share))},
    ];
    const table = new SortedTable("Distance to float, layer by layer", columns, rows);
    selection.listeners.push(layer => table.mark(layer));
    view.append(element("div", {class: "scroll"}, table.table));
  }
  return view;
}
