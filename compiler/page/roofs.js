// Part of Yarrow, under the Apache License v2.0.
// The roofs of a machine, and the view that they are in.

const roofLabel = (plot, x, y, anchor, what, more = {}) =>
  plot.svg.append(svgElement("text", {class: "roof-name", x, y, "text-anchor": anchor, ...more}, what));

// Peak of the arrays, and before it the bandwidth of the DDR.
function drawWorkRoof(plot, roof, name) {
  if (!roof.macs) return;
  const box = plot.frame, y = plot.yOf(roof.macs);
  const knee = roof.bytes ? Math.max(box.left, plot.xOf(roof.macs / roof.bytes)) : box.left;
  let path = `M${knee} ${y}H${box.right}`;
  if (roof.bytes) {
    // From the left border or the lower one, whichever the slope meets.
    const [perX, perY] = [plot.xOf(10) - plot.xOf(1), plot.yOf(1) - plot.yOf(10)];
    const fromX = Math.max(box.left, knee - (box.bottom - y) * perX / perY);
    const fromY = y + (knee - fromX) * perY / perX;
    path = `M${fromX} ${fromY}L${knee} ${y}H${box.right}`;
    const angle = -Math.atan2(perY, perX) * 180 / Math.PI;
    const [mx, my] = [(fromX + knee) / 2, (fromY + y) / 2];
    roofLabel(plot, 0, -8, "middle", `${name}${count(roof.bytes)} DDR bytes per cycle`, {transform: `translate(${mx} ${my}) rotate(${angle})`});
  }
  plot.svg.append(svgElement("path", {class: "roof", d: path}));
  roofLabel(plot, box.right, y - 28, "end", `${name}${count(roof.macs)} MACs per cycle`);
}

// The time that the bytes take at least, from border to border.
function drawTimeRoof(plot, roof, name) {
  if (!roof.bytes) return;
  const box = plot.frame;
  const [perX, perY] = [plot.xOf(10) - plot.xOf(1), plot.yOf(1) - plot.yOf(10)];
  const yAt = x => plot.yOf(1) - (x - plot.xOf(roof.bytes)) * perY / perX;
  const xAt = y => plot.xOf(roof.bytes) + (plot.yOf(1) - y) * perX / perY;
  const [fromX, toX] = [Math.max(box.left, xAt(box.bottom)), Math.min(box.right, xAt(box.top))];
  if (fromX >= toX) return;
  plot.svg.append(svgElement("path", {class: "roof", d: `M${fromX} ${yAt(fromX)}L${toX} ${yAt(toX)}`}));
  const angle = -Math.atan2(perY, perX) * 180 / Math.PI;
  const [mx, my] = [(fromX + toX) / 2, (yAt(fromX) + yAt(toX)) / 2];
  roofLabel(plot, 0, 18, "middle", `${name}${count(roof.bytes)} DDR bytes per cycle`, {transform: `translate(${mx} ${my}) rotate(${angle})`});
}

// Buttons of which one is pressed.
function choice(label, options, chosen, choose) {
  const buttons = Object.entries(options).map(([key, {title}]) =>
    element("button", {type: "button", "aria-pressed": String(key === chosen), "data-choice": key}, title));
  buttons.forEach(button => button.addEventListener("click", () => {
    buttons.forEach(other => other.setAttribute("aria-pressed", String(other === button)));
    choose(options[button.dataset.choice]);
  }));
  return element("span", {class: "group choice", role: "group", "aria-label": label}, ...buttons);
}

function makeRooflineView() {
  const plot = new Roofline();
  const key = (unit, name) => {
    const item = element("span");
    item.innerHTML = `<svg width="18" height="16" aria-hidden="true"><path class="mark ${unit}" d="${markPath(unit, 9, 8, 6)}"/></svg>${name}`;
    return item;
  };
  const left = element("span", {class: "end left-out", "aria-live": "polite"});
  const say = () => { left.textContent = plot.hidden; };
  const nameOf = axes => Object.keys(AXES).find(name => AXES[name] === axes);
  const view = element("div", {class: "view"}, element("div", {class: "tools"},
    choice("Axes", AXES, nameOf(plot.axes), axes => { plot.choose(axes); say(); }),
    choice("Areas", AREAS, "cycles", area => plot.choose(plot.axes, area)),
    downloadButton("SVG", "Save the plot as SVG", () =>
      saveSvg("roofline", svgText(plot.svg, plot.svg.clientWidth, plot.svg.clientHeight))),
    element("span", {class: "legend"}, ...["tensor", "tec", "dma"].map(unit => key(unit, UNITS[unit].name))),
    isComparison ? element("span", {}, "filled: A, dashed: B") : null,
    left));
  say();
  const pane = element("div", {class: "pane"});
  pane.append(plot.points.length ? plot.svg : element("p", {class: "empty"}, "No layer of this page has counted cycles."));
  view.append(element("div", {class: "panes"}, pane));
  return view;
}
