// Part of Yarrow, under the Apache License v2.0.
// The view of the network: of two builds both, side by side.

// Of a network before any build: by whom its units are told.
function placesNote() {
  const {target} = builds[0].report;
  return target ? `units: in integers on ${target}` : "units are not known: the network cannot run in integers as it is";
}

function makeGraphView() {
  const view = element("div", {class: "view"});
  const panes = builds.map(build => new GraphPane(build));
  const drawn = panes.filter(pane => pane.svg);
  const each = action => () => drawn.forEach(action);
  const found = element("span", {"aria-live": "polite"});
  const search = element("input", {type: "search", placeholder: "Find a layer or type", "aria-label": "Find a layer or type", id: "seek"});
  search.addEventListener("input", () => {
    const hits = drawn.reduce((sum, pane) => sum + pane.seek(search.value), 0);
    found.textContent = search.value.trim() ? `${count(hits)} found` : "";
  });
  search.addEventListener("keydown", event => {
    if (event.key === "Enter") drawn.forEach(pane => pane.nextMatch());
  });
  const button = (text, label, action) => element("button", {type: "button", "aria-label": label, title: label, onclick: action}, text);
  view.append(
    element("div", {class: "tools"}, search, found,
      element("span", {class: "group"},
        button("+", "Zoom in", each(pane => pane.zoom(1.25))),
        button("−", "Zoom out", each(pane => pane.zoom(0.8))),
        button("Fit", "Show the whole network", each(pane => pane.fit())),
        button("Start", "Show the first layers", each(pane => pane.start())),
        drawn.length ? downloadButton("SVG", "Save the whole network as SVG", each(pane =>
          saveSvg("network" + letterOf(pane.build), pane.svgFile()))) : null),
      unitLegend(),
      element("span", {class: "end"}, isModel ? placesNote() : "bar and %: share of the cycles")),
    element("div", {class: "panes"}, ...panes.map(pane => pane.box)));
  selection.listeners.push(() => panes.forEach(pane => pane.mark(selection.of(pane.build))));
  repaints.push(each(pane => pane.drawMap()));
  return view;
}
