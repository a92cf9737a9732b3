// Part of Yarrow, under the Apache License v2.0.
// The page as a whole: figures at the top, a tab for each view. A view is made
// when it is first shown.

function makeTiles() {
  const worst = build => {
    const layers = ((build.report.quantization || {}).layers || []).filter(l => l.is_output && l.to_float);
    return layers.length ? Math.min(...layers.map(l => l.to_float.sqnr_db ?? Infinity)) : null;
  };
  const top1 = (build, network) => (((build.report.accuracy || {}).networks || {})[network] || {}).top1;
  const of = (build, key) => (build.performance || {})[key];
  const traffic = build => ((build.performance || {}).total || {}).ddr_bytes;
  const utilization = build => (known(of(build, "array_utilization")) ? 100 * of(build, "array_utilization") : null);
  // Title, value, its text, whether less is better, and the unit of differences
  // that are no shares.
  const figures = [
    ["cycles", build => build.cycles || null, count, true],
    ["time", build => of(build, "milliseconds"), v => fixed(v, 3) + "\u00a0ms", true],
    ["MAC array used", utilization, v => fixed(v, 1) + "\u00a0%", false, " points"],
    ["DDR traffic", traffic, bytes, true],
    ["SRAM peak", build => build.peakBytes || null, bytes, true],
    ["top-1 on the NPU", build => top1(build, "npu") ?? top1(build, "int"), v => fixed(v, 2) + "\u00a0%", false, " points"],
    ["output SQNR", worst, v => marked(v === Infinity ? "exact" : fixed(v, 1) + "\u00a0dB", levelBelow(v, limits.sqnr_db)), false, "\u00a0dB"],
  ];
  return tileList(isModel ? modelFigures() : figures);
}

// Of a network before any build.
function modelFigures() {
  const sum = (build, value) => build.layers.reduce((all, layer) => all + (value(layer) || 0), 0);
  const on = unit => build => (build.report.target ? build.layers.filter(layer => layer.unit === unit).length : null);
  return [
    ["parameters", build => sum(build, parametersOf), count],
    ["weights", build => sum(build, layer => layer.weight_bytes), bytes],
    ["MACs", build => sum(build, layer => layer.macs) || null, shortCount],
    ["layers on the tensor engine", on("tensor"), count],
    ["on TECs", on("tec"), count],
    ["on DMA alone", on("dma"), count],
    ["folded", on("none"), count],
  ];
}

function tileList(figures) {
  const list = element("dl", {class: "tiles"});
  for (const [name, value, text, isGoodDown, points] of figures) {
    const values = builds.map(value);
    if (!values.some(v => v !== null && v !== undefined)) continue;
    const shown = element("dd", {}, ...values.flatMap((v, i) =>
      [i ? " → " : "", v === null || v === undefined ? "–" : text(v)]));
    if (isComparison && values.every(known) && values[0]) {
      const difference = points ? values[1] - values[0] : 100 * (values[1] - values[0]) / values[0];
      shown.append(" ", element("small", {}, change(difference, v => fixed(v, 1) + (points || "\u00a0%"), isGoodDown)));
    }
    list.append(element("div", {}, element("dt", {}, name), shown));
  }
  return list;
}

function makeHeader() {
  const {report} = builds[0];
  const machines = [...new Set(builds.map(build => build.report.target).filter(Boolean))];
  const clock = builds[0].performance && builds[0].performance.clock_mhz;
  const parts = [isModel ? builds[0].label + ", not built" : "",
    machines.length ? (isModel ? "units of " : "on ") + machines.join(" and ") : "", clock ? `at ${count(clock)} MHz` : "",
    `${builds.map(build => count(build.layers.length)).join(" and ")} ${builds[0].layers.length === 1 && !isComparison ? "layer" : "layers"}`, `Yarrow ${report.yarrow_version}`];
  const title = element("div", {}, element("h1", {}, report.model || builds[0].label),
    element("p", {}, parts.filter(Boolean).join(" · ")));
  if (isComparison)
    title.append(element("ul", {class: "builds"}, ...builds.map(build =>
      element("li", {}, element("b", {}, build.letter), build.label))));
  document.getElementById("header").append(title, makeTiles());
}

const numFindings = builds.reduce((sum, build) => sum + findingsOf(build), 0);
const VIEWS = [
  ["graph", "Network", makeGraphView],
  ["findings", "Findings", makeFindingsView, numFindings],
  ["timeline", "Timeline", makeTimelineView],
  ["sram", "SRAM", makeSramView],
  ["roofline", "Roofline", makeRooflineView],
  ["layers", isComparison ? "Layers compared" : "Layers", makeLayersView],
  ["accuracy", "Accuracy", makeAccuracyView],
  // Of a network that was not built there are no cycles and no distances.
].filter(([id]) => !isModel || ["graph", "findings", "layers"].includes(id));

function makeTabs() {
  const bar = document.getElementById("tabs"), main = document.getElementById("views");
  const tabs = VIEWS.map(([id, title, , badge]) => element("button",
    {type: "button", role: "tab", id: "tab-" + id, "aria-controls": "view-" + id, tabindex: "-1", "aria-selected": "false"},
    title, badge ? element("span", {class: "badge"}, count(badge)) : null));
  const panels = VIEWS.map(([id]) => element("section",
    {class: "view", id: "view-" + id, role: "tabpanel", "aria-labelledby": "tab-" + id, hidden: true}));
  const show = index => {
    tooltip.hide();
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === index));
      tab.setAttribute("tabindex", i === index ? "0" : "-1");
      panels[i].hidden = i !== index;
    });
    if (!panels[index].childElementCount) {
      panels[index].append(VIEWS[index][2]());
      // What was selected before the view was there.
      for (const listener of selection.listeners) listener(selection.layer);
    }
    history.replaceState(null, "", "#" + VIEWS[index][0]);
  };
  tabs.forEach((tab, i) => tab.addEventListener("click", () => show(i)));
  bar.addEventListener("keydown", event => {
    const now = tabs.indexOf(document.activeElement), last = tabs.length - 1;
    const next = {ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now ? now - 1 : last, Home: 0, End: last}[event.key];
    if (next === undefined || now < 0) return;
    show(next);
    tabs[next].focus();
    event.preventDefault();
  });
  bar.append(...tabs);
  main.append(...panels);
  const asked = VIEWS.findIndex(([id]) => "#" + id === location.hash);
  show(Math.max(0, asked));
}

makeHeader();
makeTabs();
// For tests, and whoever measures.
document.documentElement.dataset.ready = Math.round(performance.now());
