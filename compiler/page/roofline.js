// Part of Yarrow, under the Apache License v2.0.
// Every layer as a point under the roofs of the machine: by its MACs per byte of
// DDR traffic and its MACs per cycle, or by its bytes and its time. Both scales
// are logarithmic.

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

// What the axes are: x of layers that have none is null. Of the roofs, ends(roof)
// are points that are to be seen, and corner(roof) is where the slope meets the
// level one, if there is one.
const AXES = {
  work: {
    title: "Work by traffic", x: l => (l.ddr_bytes > 0 ? l.macs / l.ddr_bytes : null), y: l => l.macs / l.cycles,
    has: l => l.macs > 0 && l.cycles > 0, without: "without MACs", without_x: "no DDR traffic",
    xTitle: "MACs per byte of DDR traffic", yTitle: "MACs per cycle",
    hint: "layers above the slope had data loaded ahead",
    ends: ({macs, bytes}) => [macs && bytes ? [macs / bytes / 4, macs / bytes * 4] : [], macs ? [macs] : []],
  },
  time: {
    title: "Bytes and time", x: l => (l.ddr_bytes > 0 ? l.ddr_bytes : null), y: l => l.cycles,
    has: l => l.cycles > 0, without: "without own cycles", without_x: "no DDR traffic",
    xTitle: "bytes of DDR traffic", yTitle: "cycles",
    hint: "layers below the slope had data loaded ahead",
    ends: () => [[], []],
  },
};
const AREAS = {
  cycles: {title: "area: cycles", of: layer => layer.cycles},
  bytes: {title: "area: DDR bytes", of: layer => layer.ddr_bytes || 0},
};

class Roofline {
  constructor() {
    this.axes = AXES.work;
    this.area = AREAS.cycles;
    this.svg = svgElement("svg", {class: "plot-svg"});
    this.svg.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.svg);
    selection.listeners.push(() => this.mark());
    this.choose();
    // A network without multiplications still has bytes and time.
    if (!this.points.length) this.choose(AXES.time);
  }

  choose(axes = this.axes, area = this.area) {
    Object.assign(this, {axes, area, current: 0, marks: null});
    const {x, y, has} = axes;
    this.points = builds.flatMap(build => build.layers.filter(has));
    this.points.sort((a, b) => (x(a) ?? Infinity) - (x(b) ?? Infinity) || y(a) - y(b));
    this.draw();
  }

  // "12 of 40 layers without MACs are not shown: 63 % of the cycles"
  get hidden() {
    const texts = builds.map(build => {
      const left = build.layers.filter(layer => !this.axes.has(layer));
      const cycles = left.reduce((sum, layer) => sum + (layer.cycles || 0), 0);
      return (isComparison ? build.letter + ": " : "") + (left.length
        ? `${count(left.length)} of ${counted(build.layers.length, "layer")} ${this.axes.without} ` +
          `${left.length === 1 ? "is" : "are"} not shown: ${percent(cycles, build.cycles)} of the cycles`
        : `all ${counted(build.layers.length, "layer")} are shown`);
    });
    return texts.join("; ");
  }

  // Layers without DDR traffic have a column of their own at the right.
  draw() {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    if (!width || !height || !this.points.length) return;
    const hadFocus = this.svg.contains(document.activeElement);
    const {x, y, ends} = this.axes;
    const roofs = builds.map(build => build.roofs);
    const withX = this.points.filter(layer => x(layer) !== null);
    const xs = withX.map(x), ys = this.points.map(y);
    for (const roof of roofs) {
      const [moreX, moreY] = ends(roof);
      xs.push(...moreX);
      ys.push(...moreY);
    }
    const range = values => [Math.log10(Math.min(...values)) - 0.15, Math.log10(Math.max(...values)) + 0.25];
    const [x0, x1] = range(xs.length ? xs : [0.1, 100]), [y0, y1] = range(ys);
    const free = withX.length < this.points.length ? 110 : 0;
    const box = this.frame = {left: 74, right: width - 24 - free, top: 18, bottom: height - 46};
    this.xOf = value => box.left + (Math.log10(value) - x0) / (x1 - x0) * (box.right - box.left);
    this.yOf = value => box.bottom - (Math.log10(value) - y0) / (y1 - y0) * (box.bottom - box.top);
    this.freeX = width - 24 - free / 2 + 10;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    this.drawGrid(box, [x0, x1], [y0, y1], width, height, free);
    const isSame = roof => roof.macs === roofs[0].macs && roof.bytes === roofs[0].bytes;
    roofs.forEach((roof, index) => {
      if (!index || !isSame(roof))
        (this.axes === AXES.work ? drawWorkRoof : drawTimeRoof)(this, roof, roofs.every(isSame) ? "" : "AB"[index] + ": ");
    });
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
    text((box.left + box.right) / 2, height - 8, "middle", this.axes.xTitle);
    text(box.left, height - 8, "start", this.axes.hint);
    text(0, 0, "middle", this.axes.yTitle, {transform: `translate(18 ${(box.top + box.bottom) / 2}) rotate(-90)`});
    if (!free) return;
    line(width - 24 - free + 10, box.top, width - 24 - free + 10, box.bottom);
    text(this.freeX, box.bottom + 18, "middle", this.axes.without_x);
  }

  place(layer) {
    const x = this.axes.x(layer);
    return [x === null ? this.freeX : this.xOf(x), this.yOf(this.axes.y(layer))];
  }

  // Where a layer went from one build to the other.
  drawMoves() {
    if (!isComparison) return;
    const shown = new Set(this.points);
    for (const layer of builds[0].layers) {
      const other = otherOf(layer);
      if (!other || !shown.has(layer) || !shown.has(other)) continue;
      const [[ax, ay], [bx, by]] = [this.place(layer), this.place(other)];
      this.svg.append(svgElement("line", {class: "move", x1: ax, y1: ay, x2: bx, y2: by}));
    }
  }

  drawPoints() {
    const group = svgElement("g", {role: "listbox", "aria-label": `Layers by ${this.axes.xTitle}`});
    const areaOf = this.area.of, most = Math.max(1, ...this.points.map(areaOf));
    this.marks = this.points.map((layer, i) => {
      const [x, y] = this.place(layer);
      const r = 4 + 18 * Math.sqrt(areaOf(layer) / most);
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
    group.append(...[...this.marks.keys()].sort((a, b) => areaOf(this.points[b]) - areaOf(this.points[a])).map(i => this.marks[i]));
    this.svg.append(group);
    this.mark();
  }

  describe(layer) {
    return [(isComparison ? layer.build.letter + ": " : "") + layer.name,
      layer.macs ? `${fixed(layer.macs / layer.cycles, 1)} MACs per cycle` +
        (layer.ddr_bytes ? `, ${fixed(layer.macs / layer.ddr_bytes, 2)} per byte` : "") : "no MACs",
      layer.ddr_bytes ? `${bytes(layer.ddr_bytes)} of DDR traffic` : "no DDR traffic",
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
