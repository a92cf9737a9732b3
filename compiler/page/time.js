// Part of Yarrow, under the Apache License v2.0.
// Plots along the cycles of a run: what each unit did, and what the SRAM held.
// All of them show the same part of the run.

const timeRange = {
  full: Math.max(1, ...builds.map(build => build.cycles || (build.picture ? build.picture.cycles : 0))),
  listeners: [],
  set(start, end) {
    const length = Math.min(Math.max(end - start, 20), this.full * 1.02);
    this.start = Math.min(Math.max(start, -0.01 * this.full), this.full * 1.01 - length);
    this.end = this.start + length;
    for (const listener of this.listeners) listener();
  },
  zoom(factor, at) {
    const middle = at ?? (this.start + this.end) / 2;
    this.set(middle - (middle - this.start) / factor, middle + (this.end - middle) / factor);
  },
  move(share) {
    const step = share * (this.end - this.start);
    this.set(this.start + step, this.end + step);
  },
  reset() { this.set(-0.005 * this.full, 1.005 * this.full); },
};
timeRange.reset();

// Round steps, about so many.
function steps(from, to, most) {
  const raw = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= raw);
  const values = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step) values.push(value);
  return values;
}

// Of several cores the lanes have long names.
const hasCores = builds.some(build => build.picture && build.picture.cores_used > 1);
const EDGE = {left: hasCores ? 158 : 116, right: 16, bottom: 26};

// A canvas along the cycles. Who derives says what there is: marks in lanes,
// each with start and end, which are drawn, found and stepped through.
class TimePlot {
  constructor(build, label, keys) {
    this.build = build;
    this.top = isComparison ? 34 : 12;
    this.canvas = element("canvas", {class: "plot", tabindex: "0", role: "application", "aria-label": label,
      "aria-roledescription": "plot", "aria-describedby": keys});
    this.box = element("div", {class: "pane"}, this.canvas);
    if (isComparison) this.box.prepend(element("h2", {}, `${build.letter}: ${build.label}`));
    this.current = null;
    this.listen();
  }

  get inner() { return this.canvas.clientWidth - EDGE.left - EDGE.right; }
  xOf(cycle) { return EDGE.left + (cycle - timeRange.start) / (timeRange.end - timeRange.start) * this.inner; }
  cycleAt(x) { return timeRange.start + (x - EDGE.left) / this.inner * (timeRange.end - timeRange.start); }

  paint() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width || !height) return;
    // For tests and whoever looks at the page's structure.
    this.canvas.dataset.marks = this.paintWith(penOf(this.canvas, width, height), width, height);
  }

  // Returns how many marks it drew.
  paintWith(pen, width, height) {
    pen.font = "12px " + colour("sans");
    this.paintAxis(pen, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, 0, this.inner, height - EDGE.bottom);
    pen.clip();
    const drawn = this.paintMarks(pen, width, height);
    pen.restore();
    this.paintLabels(pen, width, height);
    return drawn;
  }

  // The part of the run that is shown.
  svgFile() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const pen = new SvgPen(width, height);
    this.paintWith(pen, width, height);
    return pen.text();
  }

  paintAxis(pen, width, height) {
    pen.strokeStyle = colour("line");
    pen.fillStyle = colour("muted");
    pen.textAlign = "center";
    pen.lineWidth = 1;
    for (const cycle of steps(timeRange.start, timeRange.end, Math.max(2, width / 130))) {
      if (cycle < 0) continue;
      const x = Math.round(this.xOf(cycle)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, this.top);
      pen.lineTo(x, height - EDGE.bottom);
      pen.stroke();
      pen.fillText(count(cycle), x, height - 9);
    }
    pen.textAlign = "right";
    pen.fillText("cycle", EDGE.left - 12, height - 9);
  }

  // One mark, in the colour of its unit; those of layers that are not selected step back.
  paintMark(pen, mark, x, y, w, h, unit, chosen) {
    const isChosen = chosen && mark.layer === chosen;
    pen.globalAlpha = chosen && !isChosen ? 0.28 : 1;
    pen.fillStyle = colour(UNIT_COLOURS[unit]);
    pen.fillRect(x, y, Math.max(w, 0.8), h);
    // Layers in turn have a light part, so that neighbours can be told apart.
    if (w > 3 && mark.lane !== undefined && mark.layer && mark.layer.index % 2) {
      pen.fillStyle = colour("page");
      pen.globalAlpha *= 0.3;
      pen.fillRect(x, y + h * 0.75, w, h * 0.25);
    }
    this.paintHatch(pen, mark, x, y, w, h);
    pen.globalAlpha = 1;
    if (w > 4) {
      pen.strokeStyle = colour("page");
      pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    }
    if (mark === this.current || isChosen) {
      pen.strokeStyle = colour("text");
      pen.lineWidth = mark === this.current ? 3 : 1;
      pen.strokeRect(x, y, Math.max(w, 2), h);
      pen.lineWidth = 1;
    }
  }

  // For who derives: lines that tell kinds apart without their colours.
  paintHatch() {}

  paintName(pen, name, x, y, w, h) {
    const left = Math.max(x, EDGE.left), room = Math.min(x + w, EDGE.left + this.inner) - left - 8;
    if (room < 60 || h < 12) return;
    pen.fillStyle = colour("on-engine");
    pen.textAlign = "left";
    pen.fillText(shortName(name, Math.floor(room / 7)), left + 5, y + h / 2 + 4, room);
  }

  listen() {
    const at = event => {
      const bounds = this.canvas.getBoundingClientRect();
      return [event.clientX - bounds.left, event.clientY - bounds.top];
    };
    let drag = null;
    this.canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const [x] = at(event);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        timeRange.move((event.deltaX || event.deltaY) / this.inner);
      else timeRange.zoom(Math.exp(-event.deltaY / 300), this.cycleAt(x));
    }, {passive: false});
    this.canvas.addEventListener("pointerdown", event => {
      drag = {x: event.clientX, start: timeRange.start, end: timeRange.end, moved: false};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", event => {
      if (drag && event.buttons) {
        const moved = event.clientX - drag.x;
        drag.moved ||= Math.abs(moved) > 4;
        const cycles = moved / this.inner * (drag.end - drag.start);
        if (drag.moved) timeRange.set(drag.start - cycles, drag.end - cycles);
        return;
      }
      const mark = this.markAt(...at(event));
      if (mark) tooltip.show(this.describe(mark), event.clientX, event.clientY);
      else tooltip.hide();
      this.canvas.style.cursor = mark ? "pointer" : "grab";
    });
    this.canvas.addEventListener("pointerleave", () => tooltip.hide());
    this.canvas.addEventListener("blur", () => tooltip.hide());
    this.canvas.addEventListener("click", event => {
      if (drag && drag.moved) return;
      const mark = this.markAt(...at(event));
      this.current = mark;
      if (mark && mark.layer) {
        details.cameFrom = this.canvas;
        selection.pick(mark.layer);
      }
      this.paint();
    });
    this.canvas.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    timeRange.listeners.push(() => this.paint());
    selection.listeners.push(() => this.paint());
    repaints.push(() => this.paint());
  }

  key(event) {
    const actions = {
      "+": () => timeRange.zoom(1.5), "=": () => timeRange.zoom(1.5), "-": () => timeRange.zoom(1 / 1.5),
      "0": () => timeRange.reset(), a: () => timeRange.move(-0.2), d: () => timeRange.move(0.2),
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      ArrowDown: () => this.changeLane(1), ArrowUp: () => this.changeLane(-1),
      Enter: () => this.current && this.current.layer && openDetails(this.current.layer, this.canvas),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    actions[event.key]();
    event.preventDefault();
  }

  // Goes to a mark, shows it and tells what it is.
  go(mark) {
    if (!mark) return;
    this.current = mark;
    if (mark.start < timeRange.start || mark.end > timeRange.end) {
      const length = Math.max(timeRange.end - timeRange.start, 1.2 * (mark.end - mark.start));
      const middle = (mark.start + mark.end) / 2;
      timeRange.set(middle - length / 2, middle + length / 2);
    }
    this.paint();
    const bounds = this.canvas.getBoundingClientRect();
    tooltip.show(this.describe(mark), bounds.left + Math.max(EDGE.left, this.xOf(mark.start)), bounds.top + this.yOf(mark));
  }
}

const timeTools = (view, plots, ...more) => {
  const id = view + "-keys";
  const button = (text, label, action) => element("button", {type: "button", "aria-label": label, title: label, onclick: action}, text);
  return element("div", {class: "tools"},
    element("span", {class: "group"},
      button("+", "Zoom in", () => timeRange.zoom(1.5)),
      button("−", "Zoom out", () => timeRange.zoom(1 / 1.5)),
      button("◂", "Earlier", () => timeRange.move(-0.3)),
      button("▸", "Later", () => timeRange.move(0.3)),
      button("All", "Show the whole run", () => timeRange.reset()),
      plots.length ? downloadButton("SVG", "Save what is shown as SVG", () => plots.forEach(plot =>
        saveSvg(view + letterOf(plot.build), plot.svgFile()))) : null),
    ...more,
    element("span", {class: "end", id},
      "wheel zooms, drag moves; keys: arrows from mark to mark, Enter details, + − 0"));
};

// A pane for each build, of those without a picture one that says so.
const panesOf = plots => builds.map(build => {
  const plot = plots.find(shown => shown.build === build);
  return plot ? plot.box : element("p", {class: "empty"}, "This page has no run.");
});
