// Part of Yarrow, under the Apache License v2.0.
// Every layer by its MACs per byte of DDR traffic and its MACs per cycle, under
// the two roofs of the machine. Both scales are logarithmic.

const svgElement = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

// Round numbers between two powers of ten; few decades have some in between.
function ticks(from, to) {
  const parts = to - from > 4 ? [1] : to - from > 2 ? [1, 3] : [1, 2, 5];
  const values = [];
  for (let p = Math.floor(from); p <= to; ++p)
    for (const part of parts) {
      const value = part * 10 ** p;
      if (Math.log10(value) >= from && Math.log10(value) <= to) values.push(value);
    }
  return values;
}

// A circle for the tensor engine, a triangle for TECs, a square for DMA.
function markPath(unit, x, y, r) {
  if (unit === "tec") return `M${x} ${y - 1.2 * r}L${x + 1.1 * r} ${y + 0.8 * r}H${x - 1.1 * r}Z`;
  if (unit === "dma") return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

class Roofline {
  constructor() {
    this.points = builds.flatMap(build => build.layers.filter(layer => layer.macs > 0 && layer.cycles > 0));
    this.points.sort((a, b) => a.macs / (a.ddr_bytes || 1) - b.macs / (b.ddr_bytes || 1));
    this.current = 0;
    this.svg = svgElement("svg", {class: "plot-svg"});
    this.svg.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.svg);
    selection.listeners.push(() => this.mark());
  }

  // Layers without DDR traffic have a column of their own at the right.
  draw() {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!width || !height || !this.points.length) return;
    const hadFocus = this.svg.contains(document.activeElement);
    const roofs = builds.map(build => build.roofs);
    const withBytes = this.points.filter(layer => layer.ddr_bytes > 0);
    const xs = withBytes.map(layer => layer.macs / layer.ddr_bytes);
    for (const roof of roofs) if (roof.bytes) xs.push(roof.macs / roof.bytes / 4, roof.macs / roof.bytes * 4);
    const ys = this.points.map(layer => layer.macs / layer.cycles).concat(roofs.map(roof => roof.macs).filter(Boolean));
    const ends = values => [Math.log10(Math.min(...values)) - 0.15, Math.log10(Math.max(...values)) + 0.25];
    const [x0, x1] = ends(xs.length ? xs : [0.1, 100]), [y0, y1] = ends(ys);
    const free = withBytes.length < this.points.length ? 96 : 0;
    const box = {left: 74, right: width - 24 - free, top: 18, bottom: height - 46};
    this.xOf = value => box.left + (Math.log10(value) - x0) / (x1 - x0) * (box.right - box.left);
    this.yOf = value => box.bottom - (Math.log10(value) - y0) / (y1 - y0) * (box.bottom - box.top);
    this.freeX = width - 24 - free / 2 + 10;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    this.drawGrid(box, [x0, x1], [y0, y1], width, height, free);
    roofs.forEach((roof, index) => this.drawRoof(box, roof, index, roofs));
    this.drawMoves();
    this.drawPoints();
    if (hadFocus) this.marks[this.current].focus();
  }

  drawGrid(box, [x0, x1], [y0, y1], width, height, free) {
    const line = (a, b, c, d) => this.svg.append(svgElement("line", {class: "grid", x1: a, y1: b, x2: c, y2: d}));
    const text = (x, y, anchor, what, more = {}) => this.svg.append(svgElement("text", {x, y, "text-anchor": anchor, ...more}, what));
    for (const value of ticks(x0, x1)) {
      line(this.xOf(value), box.top, this.xOf(value), box.bottom);
      text(this.xOf(value), box.bottom + 18, "middle", shortCount(value));
    }
    for (const value of ticks(y0, y1)) {
      line(box.left, this.yOf(value), box.right, this.yOf(value));
      text(box.left - 8, this.yOf(value) + 4, "end", shortCount(value));
    }
    text((box.left + box.right) / 2, height - 8, "middle", "MACs per byte of DDR traffic");
    text(0, 0, "middle", "MACs per cycle", {transform: `translate(18 ${(box.top + box.bottom) / 2}) rotate(-90)`});
    if (!free) return;
    line(width - 24 - free + 10, box.top, width - 24 - free + 10, box.bottom);
    text(this.freeX, box.bottom + 18, "middle", "no DDR traffic");
  }

  drawRoof(box, roof, index, roofs) {
    if (!roof.macs || (index && roof.macs === roofs[0].macs && roof.bytes === roofs[0].bytes)) return;
    const name = index ? "B: " : roofs.length > 1 && roofs[1].macs !== roof.macs ? "A: " : "";
    const label = (x, y, anchor, what, more = {}) =>
      this.svg.append(svgElement("text", {class: "roof-name", x, y, "text-anchor": anchor, ...more}, what));
    const y = this.yOf(roof.macs);
    const knee = roof.bytes ? Math.max(box.left, this.xOf(roof.macs / roof.bytes)) : box.left;
    let path = `M${knee} ${y}H${box.right}`;
    if (roof.bytes) {
      // From the left border or the lower one, whichever the slope meets.
      const [perX, perY] = [this.xOf(10) - this.xOf(1), this.yOf(1) - this.yOf(10)];
      const fromX = Math.max(box.left, knee - (box.bottom - y) * perX / perY);
      const fromY = y + (knee - fromX) * perY / perX;
      path = `M${fromX} ${fromY}L${knee} ${y}H${box.right}`;
      const angle = -Math.atan2(perY, perX) * 180 / Math.PI;
      const [mx, my] = [(fromX + knee) / 2, (fromY + y) / 2];
      label(0, -8, "middle", `${name}${count(roof.bytes)} DDR bytes per cycle`, {transform: `translate(${mx} ${my}) rotate(${angle})`});
    }
    this.svg.append(svgElement("path", {class: "roof", d: path}));
    label(box.right, y - 28, "end", `${name}${count(roof.macs)} MACs per cycle`);
  }

  place(layer) {
    return [layer.ddr_bytes > 0 ? this.xOf(layer.macs / layer.ddr_bytes) : this.freeX,
      this.yOf(layer.macs / layer.cycles)];
  }

  // Where a layer went from one build to the other.
  drawMoves() {
    if (!isComparison) return;
    for (const layer of builds[0].layers) {
      const other = otherOf(layer);
      if (!other || !this.points.includes(layer) || !this.points.includes(other)) continue;
      const [[ax, ay], [bx, by]] = [this.place(layer), this.place(other)];
      this.svg.append(svgElement("line", {class: "move", x1: ax, y1: ay, x2: bx, y2: by}));
    }
  }

  drawPoints() {
    const group = svgElement("g", {role: "listbox", "aria-label": "Layers by their MACs per byte"});
    const mostCycles = Math.max(...builds.map(build => build.mostCycles));
    this.marks = this.points.map((layer, i) => {
      const [x, y] = this.place(layer);
      const r = 4 + 18 * Math.sqrt(layer.cycles / mostCycles);
      const text = this.describe(layer);
      const mark = svgElement("path", {class: `mark ${layer.unit} ${layer.build.index ? "b" : "a"}`, role: "option",
        d: markPath(layer.unit, x, y, r), "aria-label": text.replaceAll("\n", ", "), "aria-selected": "false",
        tabindex: i === this.current ? "0" : "-1"});
      mark.addEventListener("pointermove", event => tooltip.show(text, event.clientX, event.clientY));
      mark.addEventListener("pointerleave", () => tooltip.hide());
      mark.addEventListener("blur", () => tooltip.hide());
      mark.addEventListener("click", () => {
        this.focus(i);
        details.cameFrom = mark;
        selection.pick(layer);
      });
      return mark;
    });
    // The largest first, for the small ones to be on top of them.
    group.append(...[...this.marks.keys()].sort((a, b) => this.points[b].cycles - this.points[a].cycles).map(i => this.marks[i]));
    this.svg.append(group);
    this.mark();
  }

  describe(layer) {
    return [(isComparison ? layer.build.letter + ": " : "") + layer.name,
      `${fixed(layer.macs / layer.cycles, 1)} MACs per cycle` +
        (layer.ddr_bytes ? `, ${fixed(layer.macs / layer.ddr_bytes, 2)} per byte` : ", no DDR traffic"),
      `${count(layer.cycles)} cycles, at least ${count(layer.bound_cycles)}; limit: ${layer.limit || "–"}`].join("\n");
  }

  focus(index) {
    if (!this.marks[index]) return;
    this.marks[this.current].setAttribute("tabindex", "-1");
    this.current = index;
    this.marks[index].setAttribute("tabindex", "0");
    this.marks[index].focus();
    const bounds = this.marks[index].getBoundingClientRect();
    tooltip.show(this.describe(this.points[index]), bounds.right, bounds.bottom);
  }

  key(event) {
    const moves = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
    if (moves[event.key]) this.focus(this.current + moves[event.key]);
    else if (event.key === "Home") this.focus(0);
    else if (event.key === "End") this.focus(this.points.length - 1);
    else if (event.key === "Enter") openDetails(this.points[this.current], this.marks[this.current]);
    else return;
    event.preventDefault();
  }

  mark() {
    if (!this.marks) return;
    this.points.forEach((layer, i) => {
      const isPicked = layer === selection.layer;
      this.marks[i].classList.toggle("picked", isPicked);
      this.marks[i].setAttribute("aria-selected", String(isPicked));
    });
  }
}

function makeRooflineView() {
  const plot = new Roofline();
  const key = (unit, name) => {
    const item = element("span");
    item.innerHTML = `<svg width="18" height="16" aria-hidden="true"><path class="mark ${unit}" d="${markPath(unit, 9, 8, 6)}"/></svg>${name}`;
    return item;
  };
  const without = builds.map(build => build.layers.filter(layer => !layer.macs).length);
  const view = element("div", {class: "view"}, element("div", {class: "tools"},
    element("span", {class: "legend"}, key("tensor", UNITS.tensor.name), key("tec", UNITS.tec.name)),
    isComparison ? element("span", {}, "filled: A, dashed: B") : null,
    element("span", {}, "area: cycles; above the slope lies what was loaded ahead"),
    element("span", {class: "end"}, `${without.map(count).join(" and ")} layers without MACs are not shown`)));
  const pane = element("div", {class: "pane"});
  pane.append(plot.points.length ? plot.svg : element("p", {class: "empty"}, "No layer of this page has multiplications that were counted."));
  view.append(element("div", {class: "panes"}, pane));
  return view;
}
