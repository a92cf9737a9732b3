// Part of Yarrow, under the Apache License v2.0.
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

function makeTimelineView() {
  const plots = builds.filter(build => build.tracks.length).map(build => new Timeline(build));
  const merged = builds.filter(build => build.picture && build.picture.merged_below_cycles > 1)
    .map(build => `${isComparison ? build.letter + ": " : ""}events of one layer less than ` +
      `${count(build.picture.merged_below_cycles)} cycles apart are drawn as one.`);
  return element("div", {class: "view"}, timeTools("timeline", plots, ...merged.map(text => element("span", {}, text))),
    element("div", {class: "panes rows"}, ...panesOf(plots)));
}
