// Part of Yarrow, under the Apache License v2.0.
// What is wrong and where: what the doctor found of speed and accuracy, what the
// compiler said, and which remedies were tried.

const saidBy = build => build.report.diagnostics || [];

// How many there are to look at.
const findingsOf = build => build.findings.length + saidBy(build).length;

const SUBJECTS = [["speed", "Speed"], ["accuracy", "Accuracy"]];

function findingTable(finding, build) {
  const has = key => finding.layers.some(layer => known(layer[key]));
  const columns = [
    ["Layer", false, ({name}) => (build.find(name) ? layerLink(build.find(name), name) : name)],
    has("cycles") ? ["Share", true, ({cycles}) => percent(cycles, build.cycles)] : null,
    has("cycles") ? ["Cycles", true, ({cycles}) => count(cycles)] : null,
    has("saves") ? ["Saves up to", true, ({saves}) => count(saves)] : null,
    has("sqnr_db") ? ["SQNR", true, layer =>
      marked(known(layer.sqnr_db) ? fixed(layer.sqnr_db, 1) + "\u00a0dB" : "–", levelOfError(layer))] : null,
    ["Why", false, ({why}) => withCode(why)],
  ].filter(Boolean);
  return element("div", {class: "scroll"}, element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map(([title, isNumber]) =>
      element("th", {scope: "col", class: isNumber ? "n" : ""}, title)))),
    element("tbody", {}, ...finding.layers.map(layer => element("tr", {}, ...columns.map(([title, isNumber, cell]) =>
      element("td", {class: isNumber ? "n" : title === "Layer" ? "name" : "why"}, cell(layer))))))));
}

function doctorItem(finding, build) {
  const heading = element("h3", {}, marked("", finding.severity), " ", finding.title);
  return element("article", {class: "doctor " + finding.severity}, heading,
    element("p", {}, withCode(finding.help)),
    finding.layers.length ? findingTable(finding, build) : null,
    finding.others ? element("p", {}, `and ${counted(finding.others, "other layer")}`) : null);
}

function saidItem(said, build) {
  const place = [said.file, said.line].filter(Boolean).join(":");
  const layer = said.layer && build.find(said.layer);
  return element("li", {class: said.severity},
    element("span", {class: "kind"}, `${said.severity} ${said.code || ""}`), linked(said.message || "", build),
    ...[["found", said.found], ["expected", said.expected], ["help", said.hint]]
      .filter(([, text]) => text).map(([name, text]) => element("p", {}, `${name}: `, linked(text, build))),
    place || layer ? element("p", {}, place ? element("code", {}, place) : null, place && layer ? " " : null,
      layer ? layerLink(layer) : said.layer ? `layer ${said.layer}` : null) : null);
}

function remedyTable(remedies) {
  return element("table", {},
    element("thead", {}, element("tr", {}, ...["Remedy", "Why"].map(t => element("th", {scope: "col"}, t)),
      ...["SQNR", "Gain", "Cycles"].map(t => element("th", {scope: "col", class: "n"}, t)))),
    element("tbody", {}, ...remedies.map(r => element("tr", {class: r.is_taken ? "picked" : ""},
      element("td", {class: "name"}, r.remedy), element("td", {}, r.why), element("td", {class: "n"}, fixed(r.sqnr_db, 1)),
      element("td", {class: "n"}, fixed(r.gain_db, 1)), element("td", {class: "n"}, count(r.cycles))))));
}

// What is missing is said, too: nobody should take it for good.
function missingNotes(build) {
  const {accuracy, quantization, diagnosis} = build.report;
  const compared = ((quantization || diagnosis || {}).layers || []).some(layer => layer.to_float);
  if (isModel || compared || accuracy) return [];
  return [element("p", {class: "note"}, "The distance to the float network is not known: build with samples to measure it.")];
}

function makeFindingsView() {
  const view = element("div", {class: "view scrolls"});
  for (const build of builds) {
    if (isComparison) view.append(element("h2", {}, `${build.letter}: ${build.label}`));
    // What is bad comes before what is only worth a look.
    const rank = ([subject]) => (build.findings.some(f => f.subject === subject && f.severity === "bad") ? 0 : 1);
    for (const [subject, title] of [...SUBJECTS].sort((a, b) => rank(a) - rank(b))) {
      const own = build.findings.filter(finding => finding.subject === subject);
      if (own.length) view.append(element("h2", {}, title), ...own.map(finding => doctorItem(finding, build)));
    }
    const said = saidBy(build);
    if (said.length)
      view.append(element("h2", {}, "Messages of the compiler"),
        element("ul", {class: "findings"}, ...said.map(item => saidItem(item, build))));
    if (!findingsOf(build))
      view.append(element("p", {class: "note"}, "No problems: no layer is unusually slow or inaccurate, and the compiler had no warnings or notes."));
    view.append(...missingNotes(build));
    const remedies = (build.report.diagnosis || {}).remedies || [];
    if (remedies.length) view.append(element("h2", {}, "Remedies that were tried"), remedyTable(remedies));
  }
  return view;
}
