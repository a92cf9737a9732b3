// Part of Yarrow, under the Apache License v2.0.
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

function makeSramView() {
  const plots = builds.filter(build => build.buffers.length).map(build => new SramPlot(build));
  const key = (kind, text) => {
    const item = element("span");
    const lines = kind === "weights" ? '<path d="M-2 16L16 -2M8 18L22 4" stroke="var(--page)" stroke-width="2"/>' : kind === "piece"
      ? '<path d="M0 4H18M0 9H18" stroke="var(--page)" stroke-width="2"/>' : "";
    item.innerHTML = `<svg width="18" height="14" aria-hidden="true"><rect class="${BUFFER_COLOURS[kind]}" width="18" height="14"/>${lines}</svg>${text}`;
    return item;
  };
  const sizes = [...new Set(builds.filter(build => build.picture).map(build => bytes(build.picture.machine.sramBytes)))];
  return element("div", {class: "view"}, timeTools("sram", plots,
    element("span", {class: "legend"}, ...Object.entries(BUFFER_KINDS).map(([kind, text]) => key(kind, text))),
    sizes.length ? element("span", {}, `of ${sizes.join(" and ")}`) : null,
    hasCores ? element("span", {}, "The SRAM of core 0.") : null),
  element("div", {class: "panes rows"}, ...panesOf(plots)));
}
