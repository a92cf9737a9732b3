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
    const pen = penOf(this.canvas, width, height);
    pen.font = "12px " + colour("sans");
    this.paintAxis(pen, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, 0, this.inner, height - EDGE.bottom);
    pen.clip();
    const drawn = this.paintMarks(pen, width, height);
    pen.restore();
    this.paintLabels(pen, width, height);
    // For tests and whoever looks at the page's structure.
    this.canvas.dataset.marks = drawn;
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

// A lane for each channel of an engine and each TEC.
class Timeline extends TimePlot {
  constructor(build) {
    super(build, `Time line${isComparison ? " of build " + build.letter : ""}: a lane for each unit`, "timeline-keys");
    this.lane = 0;
    this.tracks = build.tracks;
    this.tracks.forEach((track, lane) => track.events.forEach(event => { event.lane = lane; }));
  }

  // Tops of the lanes, and the end of the last one. Idle units have low lanes.
  get lanes() {
    const idle = this.tracks.filter(track => !track.events.length).length;
    const room = this.canvas.clientHeight - this.top - EDGE.bottom;
    const low = Math.min(22, 0.6 * room / Math.max(1, this.tracks.length));
    const height = Math.min(96, (room - low * idle) / Math.max(1, this.tracks.length - idle));
    const tops = [this.top];
    for (const track of this.tracks) tops.push(tops[tops.length - 1] + (track.events.length ? height : low));
    return tops;
  }
  yOf(event) { return this.lanes[event.lane]; }

  paintMarks(pen) {
    const chosen = selection.of(this.build);
    const lanes = this.lanes;
    let drawn = 0;
    this.tracks.forEach((track, lane) => {
      const y = lanes[lane] + 2, h = lanes[lane + 1] - lanes[lane];
      for (const event of track.events) {
        if (event.end < timeRange.start) continue;
        if (event.start > timeRange.end) break;
        const x = this.xOf(event.start), w = this.xOf(event.end) - x;
        this.paintMark(pen, event, x, y, w, h - 4, track.unit, chosen);
        if (event.layer && (!chosen || event.layer === chosen)) this.paintName(pen, event.layer.name, x, y, w, h - 4);
        ++drawn;
      }
    });
    return drawn;
  }

  paintLabels(pen, width) {
    const lanes = this.lanes;
    pen.textAlign = "right";
    this.tracks.forEach((track, lane) => {
      pen.fillStyle = colour(track.events.length ? "text" : "muted");
      if (lanes[lane + 1] - lanes[lane] >= 11)
        pen.fillText(track.name, EDGE.left - 12, (lanes[lane] + lanes[lane + 1]) / 2 + 4);
      pen.fillStyle = colour("line");
      pen.fillRect(0, lanes[lane + 1], width, 1);
    });
  }

  markAt(x, y) {
    const lanes = this.lanes;
    const track = this.tracks.find((_, lane) => lanes[lane] <= y && y < lanes[lane + 1]);
    if (!track || x < EDGE.left) return null;
    const cycle = this.cycleAt(x), near = 2 * (timeRange.end - timeRange.start) / this.inner;
    return track.events.find(event => event.start <= cycle && cycle <= event.end) ||
      track.events.find(event => event.start - near <= cycle && cycle <= event.end + near) || null;
  }

  describe(event) {
    return [event.layer ? event.layer.name : "of no layer",
      `${event.kind} on ${this.tracks[event.lane].name}` + (event.count > 1 ? `, ${count(event.count)} of them` : ""),
      `${count(event.start)} to ${count(event.end)}: ${count(event.end - event.start)} cycles`].join("\n");
  }

  step(by) {
    const {events} = this.tracks[this.lane];
    const at = this.current && this.current.lane === this.lane ? events.indexOf(this.current) + by
      : Math.max(0, events.findIndex(event => event.end >= timeRange.start));
    this.go(events[at]);
  }

  changeLane(by) {
    let lane = this.lane + by;
    while (this.tracks[lane] && !this.tracks[lane].events.length) lane += by;
    if (!this.tracks[lane]) return;
    this.lane = lane;
    const cycle = this.current ? this.current.start : timeRange.start;
    const {events} = this.tracks[lane];
    this.go(events.find(event => event.end >= cycle) || events[events.length - 1]);
  }
}

// Up to the highest address of a buffer of any build, in steps that quarters of
// which are round.
function sramShown() {
  const highest = Math.max(1, ...builds.flatMap(build => build.buffers.map(b => b.offset + b.size)));
  let size = 1024;
  while (size < highest) size *= 2;
  return size * 0.75 >= highest ? size * 0.75 : size;
}

const BUFFER_KINDS = {tensor: "tensors", weights: "weights and tables", piece: "pieces of tensors, scratch"};
const BUFFER_COLOURS = {tensor: "tensor", weights: "dma", piece: "tec"};

// Buffers by address and time, and above them how much is in use.
class SramPlot extends TimePlot {
  constructor(build) {
    super(build, `SRAM${isComparison ? " of build " + build.letter : ""}: buffers by address and time`, "sram-keys");
    // As much of it as buffers reach.
    this.size = sramShown();
    this.curve = 54;
    this.from = this.top + this.curve + 12;
  }

  get addressHeight() { return this.canvas.clientHeight - this.from - EDGE.bottom; }
  // Addresses grow upwards.
  yAt(address) { return this.from + (1 - address / this.size) * this.addressHeight; }
  yOf(buffer) { return this.yAt(buffer.offset + buffer.size); }

  paintMarks(pen) {
    const chosen = selection.of(this.build);
    let drawn = 0;
    for (const buffer of this.build.buffers) {
      if (buffer.start > timeRange.end) break;
      if (buffer.end < timeRange.start) continue;
      const x = this.xOf(buffer.start), w = this.xOf(buffer.end) - x;
      const y = this.yOf(buffer), h = Math.max(1, this.yAt(buffer.offset) - y);
      this.paintMark(pen, buffer, x, y, w, h, BUFFER_COLOURS[buffer.kind], chosen);
      if (!chosen || buffer.layer === chosen) this.paintName(pen, this.nameOf(buffer), x, y, w, h);
      ++drawn;
    }
    this.paintCurve(pen);
    return drawn;
  }

  // Weights are striped, pieces have lines along the cycles.
  paintHatch(pen, buffer, x, y, w, h) {
    if (buffer.kind === "tensor" || w < 6 || h < 5) return;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w, h);
    pen.clip();
    pen.globalAlpha *= 0.14; // so light that names can be read on it
    pen.strokeStyle = colour("page");
    pen.lineWidth = 2;
    pen.beginPath();
    if (buffer.kind === "weights")
      for (let from = Math.max(x, EDGE.left) - h; from < Math.min(x + w, EDGE.left + this.inner); from += 10) {
        pen.moveTo(from, y + h);
        pen.lineTo(from + h, y);
      }
    else
      for (let at = y + 4; at < y + h; at += 6) {
        pen.moveTo(x, at);
        pen.lineTo(x + w, at);
      }
    pen.stroke();
    pen.restore();
    pen.lineWidth = 1;
  }

  paintCurve(pen) {
    const base = this.top + this.curve;
    const y = bytesInUse => base - bytesInUse / this.build.peakBytes * this.curve;
    pen.beginPath();
    pen.moveTo(this.xOf(0), base);
    let last = 0;
    for (const [cycle, inUse] of this.build.occupancy) {
      const x = this.xOf(cycle);
      pen.lineTo(x, y(last));
      pen.lineTo(x, y(inUse));
      last = inUse;
    }
    pen.lineTo(this.xOf(timeRange.full), base);
    pen.fillStyle = colour("second");
    pen.globalAlpha = 0.25;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = colour("second");
    pen.stroke();
  }

  paintAxis(pen, width, height) {
    super.paintAxis(pen, width, height);
    pen.textAlign = "right";
    const line = y => {
      pen.fillStyle = colour("line");
      pen.fillRect(EDGE.left - 4, y, width - EDGE.left - EDGE.right + 4, 1);
    };
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const y = this.yAt(part * this.size);
      line(y);
      pen.fillStyle = colour("muted");
      pen.fillText(bytes(part * this.size), EDGE.left - 10, y + 4);
    }
    line(this.top + this.curve);
  }

  paintLabels(pen) {
    pen.textAlign = "right";
    pen.fillStyle = colour("text");
    pen.fillText("in use", EDGE.left - 10, this.top + 16);
    pen.fillText("peak", EDGE.left - 10, this.top + 32);
    pen.fillText(bytes(this.build.peakBytes), EDGE.left - 10, this.top + 48);
  }

  nameOf(buffer) {
    return buffer.name || (buffer.layer ? "for " + buffer.layer.name : "scratch");
  }

  markAt(x, y) {
    if (x < EDGE.left || y < this.from) return null;
    const cycle = this.cycleAt(x), address = (1 - (y - this.from) / this.addressHeight) * this.size;
    return this.build.buffers.findLast(b => b.start <= cycle && cycle <= b.end &&
      b.offset <= address && address < b.offset + b.size) || null;
  }

  describe(buffer) {
    return [this.nameOf(buffer),
      `${bytes(buffer.size)} at ${bytes(buffer.offset)} (0x${buffer.offset.toString(16)})`,
      `${BUFFER_KINDS[buffer.kind]}, first used by ${buffer.layer ? buffer.layer.name : "no layer"}`,
      `${count(buffer.start)} to ${count(buffer.end)}: ${count(buffer.end - buffer.start)} cycles`].join("\n");
  }

  step(by) {
    const at = this.current ? this.build.buffers.indexOf(this.current) + by
      : Math.max(0, this.build.buffers.findIndex(buffer => buffer.end >= timeRange.start));
    this.go(this.build.buffers[at]);
  }

  // The next buffer at a lower or higher address at the same time.
  changeLane(by) {
    if (!this.current) return this.step(1);
    const {start, end, offset} = this.current;
    const beside = this.build.buffers.filter(b => b.start < end && start < b.end && (offset - b.offset) * by > 0);
    beside.sort((a, b) => (b.offset - a.offset) * by);
    this.go(beside[0]);
  }
}

const timeTools = (id, ...more) => {
  const button = (text, label, action) => element("button", {type: "button", "aria-label": label, title: label, onclick: action}, text);
  return element("div", {class: "tools"},
    element("span", {class: "group"},
      button("+", "Zoom in", () => timeRange.zoom(1.5)),
      button("−", "Zoom out", () => timeRange.zoom(1 / 1.5)),
      button("◂", "Earlier", () => timeRange.move(-0.3)),
      button("▸", "Later", () => timeRange.move(0.3)),
      button("All", "Show the whole run", () => timeRange.reset())),
    ...more,
    element("span", {class: "end", id},
      "wheel zooms, drag moves; keys: arrows from mark to mark, Enter details, + − 0"));
};

function noPicture() {
  return element("p", {class: "empty"}, "Nothing was run for this page.");
}

function makeTimelineView() {
  const plots = builds.map(build => (build.tracks.length ? new Timeline(build).box : noPicture()));
  const merged = builds.filter(build => build.picture && build.picture.merged_below_cycles > 1)
    .map(build => `${isComparison ? build.letter + ": " : ""}events of one layer less than ` +
      `${count(build.picture.merged_below_cycles)} cycles apart are drawn as one.`);
  return element("div", {class: "view"}, timeTools("timeline-keys", ...merged.map(text => element("span", {}, text))),
    element("div", {class: "panes rows"}, ...plots));
}

function makeSramView() {
  const plots = builds.map(build => (build.buffers.length ? new SramPlot(build).box : noPicture()));
  const key = (kind, text) => {
    const item = element("span");
    const lines = kind === "weights" ? '<path d="M-2 16L16 -2M8 18L22 4" stroke="var(--page)" stroke-width="2"/>' : kind === "piece"
      ? '<path d="M0 4H18M0 9H18" stroke="var(--page)" stroke-width="2"/>' : "";
    item.innerHTML = `<svg width="18" height="14" aria-hidden="true"><rect class="${BUFFER_COLOURS[kind]}" width="18" height="14"/>${lines}</svg>${text}`;
    return item;
  };
  const sizes = [...new Set(builds.filter(build => build.picture).map(build => bytes(build.picture.machine.sramBytes)))];
  return element("div", {class: "view"}, timeTools("sram-keys",
    element("span", {class: "legend"}, ...Object.entries(BUFFER_KINDS).map(([kind, text]) => key(kind, text))),
    sizes.length ? element("span", {}, `of ${sizes.join(" and ")}`) : null,
    hasCores ? element("span", {}, "The SRAM of core 0.") : null),
  element("div", {class: "panes rows"}, ...plots));
}
