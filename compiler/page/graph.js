// Part of Yarrow, under the Apache License v2.0.
// The network: boxes where the compiler placed them, as SVG that is moved and
// scaled as a whole. A unit has a colour, a shape and letters. Every layer has
// an element from the beginning, which keys and screen readers find; what is in
// it is drawn when it is first seen.

class GraphPane {
  constructor(build) {
    this.build = build;
    this.scale = 1;
    this.x = this.y = 0;
    this.box = element("div", {class: "pane graph"});
    if (!build.nodes.length) {
      this.box.append(element("p", {class: "empty"},
        "This network has no picture: it was not compiled, or its executable is missing."));
      return;
    }
    this.draw();
    this.listen();
  }

  draw() {
    const {layout} = this.build.picture;
    [this.width, this.height] = [layout.node_width, layout.node_height];
    [this.fullWidth, this.fullHeight] = [layout.width, layout.height];
    const title = isComparison ? ` of build ${this.build.letter}` : "";
    const lines = layout.edges.map(edge => this.line(edge));
    this.box.innerHTML = `<svg class="net"><g class="all">` +
      `<path class="edge" data-edges="${lines.length}" d="${lines.join("")}"/><path class="edge near"/>` +
      `<path class="arrow" d="${layout.edges.map(edge => this.arrow(edge)).join("")}"/>` +
      `<g class="nodes" role="listbox" aria-label="Layers${title}, in the order of the network">` +
      this.build.nodes.map(n => this.shell(n)).join("") + "</g></g></svg>" +
      '<canvas class="map" aria-hidden="true"></canvas>';
    if (isComparison)
      this.box.prepend(element("h2", {}, `${this.build.letter}: ${this.build.label}`));
    this.svg = this.box.querySelector("svg");
    this.all = this.box.querySelector(".all");
    this.map = this.box.querySelector("canvas");
    this.elements = [...this.box.querySelectorAll(".node")];
    this.near = this.box.querySelector(".near");
    this.detail = new Uint8Array(this.elements.length); // how much is drawn
    this.current = 0;
    this.elements[0].setAttribute("tabindex", "0");
  }

  line([, , ...points]) {
    let path = `M${points[0]} ${points[1]}`;
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = points.slice(i - 2, i + 2);
      const middle = (y0 + y1) / 2;
      path += x0 === x1 ? `V${y1}` : `C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
    }
    return path;
  }

  arrow(edge) {
    const [x, y] = edge.slice(-2);
    return `M${x} ${y}l-4 -7h8Z`;
  }

  shell(node) {
    const {layer, id, tensor} = node;
    const label = [node.name, layer ? layer.type : node.kind, layer && layer.window,
      layer && !(isModel && layer.unit === "none") ? UNITS[layer.unit].name : "",
      hasShare(layer) ? `${count(layer.cycles)} cycles, ${percent(layer.cycles, this.build.cycles)}` : "",
      tensor ? tensor.type : "", shapeText(tensor)].filter(Boolean).join(", ");
    return `<g class="node${layer ? "" : " outer"}" role="option" tabindex="-1" aria-selected="false" data-id="${id}" ` +
      `aria-label="${escaped(label)}" aria-posinset="${id + 1}" aria-setsize="${this.build.nodes.length}" ` +
      `transform="translate(${node.x} ${node.y})"></g>`;
  }

  // What of the network is in sight, and a little around it.
  drawSeen() {
    const [width, height] = this.size();
    const level = this.scale < FAR ? 1 : 2;
    const [left, top] = [(-60 - this.x) / this.scale, (-60 - this.y) / this.scale];
    const [right, bottom] = [(width + 60 - this.x) / this.scale, (height + 60 - this.y) / this.scale];
    for (const node of this.build.nodes) {
      if (this.detail[node.id] >= level || node.y > bottom || node.y + this.height < top ||
          node.x > right || node.x + this.width < left) continue;
      this.elements[node.id].innerHTML = nodeContent(node, this.width, this.height, level === 1);
      this.detail[node.id] = level;
    }
  }

  // The whole network, with all that can be read near to it.
  svgFile() {
    for (const node of this.build.nodes) {
      this.elements[node.id].innerHTML = nodeContent(node, this.width, this.height, false);
      this.detail[node.id] = 2;
    }
    const wasFar = this.svg.classList.contains("far");
    this.svg.classList.remove("far");
    const text = svgText(this.svg, this.fullWidth + 40, this.fullHeight + 40,
      copy => copy.querySelector("g").setAttribute("transform", "translate(20 20)"));
    this.svg.classList.toggle("far", wasFar);
    return text;
  }

  //--- Moving --------------------------------------------------------------

  size() { return [this.box.clientWidth, this.box.clientHeight]; }

  apply() {
    this.all.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.svg.classList.toggle("far", this.scale < FAR);
    this.drawSeen();
    this.drawMap();
  }

  // All of the width, from the top on, at a size that can be read.
  start() {
    const [width] = this.size();
    this.scale = Math.min(1.15, Math.max(0.62, (width - 120) / this.fullWidth));
    this.y = isComparison ? 38 : 18;
    const first = this.build.nodes[0];
    this.x = (width - 70) / 2 - (first.x + this.width / 2) * this.scale;
    this.apply();
  }

  // The middle stays where it is, as when details open beside it.
  resize() {
    const [width] = this.size();
    if (!width) return;
    if (this.lastWidth) {
      this.x += (width - this.lastWidth) / 2;
      this.apply();
    } else this.start();
    this.lastWidth = width;
  }

  fit() {
    const [width, height] = this.size();
    this.scale = Math.min((width - 110) / this.fullWidth, (height - 30) / this.fullHeight, 1.5);
    this.x = (width - 70 - this.fullWidth * this.scale) / 2;
    this.y = 15;
    this.apply();
  }

  zoom(factor, atX, atY) {
    const [width, height] = this.size();
    [atX, atY] = [atX ?? width / 2, atY ?? height / 2];
    const scale = Math.min(4, Math.max(0.02, this.scale * factor));
    this.x = atX - (atX - this.x) * scale / this.scale;
    this.y = atY - (atY - this.y) * scale / this.scale;
    this.scale = scale;
    this.apply();
  }

  reveal(node) {
    const [width, height] = this.size();
    if (!width) return;
    const [left, top] = [this.x + node.x * this.scale, this.y + node.y * this.scale];
    const [w, h] = [this.width * this.scale, this.height * this.scale];
    const margin = 60;
    if (left < 10 || left + w > width - 84) this.x = (width - 84) / 2 - (node.x + this.width / 2) * this.scale;
    if (top < margin) this.y += margin - top;
    if (top + h > height - margin) this.y -= top + h - height + margin;
    this.apply();
  }

  listen() {
    let drag = null;
    this.svg.addEventListener("wheel", event => {
      event.preventDefault();
      const bounds = this.box.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey)
        return this.zoom(Math.exp(-event.deltaY / 250), event.clientX - bounds.left, event.clientY - bounds.top);
      this.x -= event.shiftKey ? event.deltaY : event.deltaX;
      this.y -= event.shiftKey ? 0 : event.deltaY;
      this.apply();
    }, {passive: false});
    this.svg.addEventListener("pointerdown", event => {
      drag = {x: event.clientX - this.x, y: event.clientY - this.y, moved: false, from: [event.clientX, event.clientY]};
    });
    addEventListener("pointermove", event => {
      if (!drag) return;
      drag.moved ||= Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) > 4;
      if (!drag.moved) return;
      [this.x, this.y] = [event.clientX - drag.x, event.clientY - drag.y];
      this.apply();
    });
    addEventListener("pointerup", () => setTimeout(() => { drag = null; }));
    this.svg.addEventListener("click", event => {
      const group = event.target.closest(".node");
      if (!group || (drag && drag.moved)) return;
      this.focus(Number(group.dataset.id), false);
      this.open();
    });
    this.svg.addEventListener("pointermove", event => {
      const group = !event.buttons && event.target.closest(".node");
      if (group) tooltip.show(group.getAttribute("aria-label").replaceAll(", ", "\n"), event.clientX, event.clientY);
      else tooltip.hide();
    });
    this.svg.addEventListener("pointerleave", () => tooltip.hide());
    this.svg.addEventListener("keydown", event => this.key(event));
    const jump = event => {
      const bounds = this.map.getBoundingClientRect();
      const at = (event.clientY - bounds.top) / bounds.height * this.fullHeight;
      this.y = this.size()[1] / 2 - at * this.scale;
      this.apply();
    };
    this.map.addEventListener("pointerdown", event => {
      this.map.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.map.addEventListener("pointermove", event => event.buttons && jump(event));
    new ResizeObserver(() => this.resize()).observe(this.box);
  }

  //--- Keys ----------------------------------------------------------------

  focus(id, reveals = true) {
    this.elements[this.current].setAttribute("tabindex", "-1");
    this.current = id;
    const group = this.elements[id];
    group.setAttribute("tabindex", "0");
    group.focus({preventScroll: true});
    if (reveals) this.reveal(this.build.nodes[id]);
  }

  open() {
    const {layer} = this.build.nodes[this.current];
    details.cameFrom = this.elements[this.current];
    selection.pick(layer);
  }

  key(event) {
    const node = this.build.nodes[this.current];
    const row = this.build.nodes.filter(n => n.y === node.y).sort((a, b) => a.x - b.x);
    const nearest = nodes => nodes.reduce((best, n) =>
      (!best || Math.abs(n.x - node.x) < Math.abs(best.x - node.x) ? n : best), null);
    const beside = step => row[row.indexOf(node) + step];
    const last = this.build.nodes.length - 1;
    const moves = {
      ArrowDown: () => nearest(node.below), ArrowUp: () => nearest(node.above),
      ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
      Home: () => this.build.nodes[0], End: () => this.build.nodes[last],
      PageDown: () => this.build.nodes[Math.min(last, this.current + 10)],
      PageUp: () => this.build.nodes[Math.max(0, this.current - 10)],
    };
    if (moves[event.key]) {
      const next = moves[event.key]();
      if (next) this.focus(next.id);
    } else if (event.key === "Enter" || event.key === " ") {
      this.open();
    } else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  //--- What is selected or sought ------------------------------------------

  mark(layer) {
    if (!this.elements) return;
    const picked = layer && layer.node;
    for (const [node, isPicked] of [[this.picked, false], [picked, true]]) {
      if (!node) continue;
      this.elements[node.id].classList.toggle("picked", isPicked);
      this.elements[node.id].setAttribute("aria-selected", String(isPicked));
    }
    this.picked = picked;
    this.near.setAttribute("d", !picked ? "" : this.build.picture.layout.edges
      .filter(([from, to]) => from === picked.id || to === picked.id).map(edge => this.line(edge)).join(""));
    if (picked) this.reveal(picked);
    this.drawMap();
  }

  // How many nodes have the text in their names or types.
  seek(text) {
    if (!this.elements) return 0;
    const sought = text.trim().toLowerCase();
    this.matches = this.build.nodes.filter(node => sought &&
      `${node.name} ${node.layer ? node.layer.type : node.kind}`.toLowerCase().includes(sought));
    this.matchIds = new Set(this.matches.map(node => node.id));
    this.elements.forEach((group, id) => group.classList.toggle("match", this.matchIds.has(id)));
    this.drawMap();
    return this.matches.length;
  }

  nextMatch() {
    if (!this.matches || !this.matches.length) return;
    const next = this.matches.find(node => node.id > this.current) || this.matches[0];
    this.focus(next.id);
  }

  // The whole network at the right, with what is seen of it.
  drawMap() {
    const canvas = this.map;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    const pen = penOf(canvas, width, height);
    const [sx, sy] = [Math.min(width / this.fullWidth, 0.25), height / this.fullHeight];
    const dx = (width - this.fullWidth * sx) / 2;
    const h = Math.max(1.2, this.height * sy);
    for (const node of this.build.nodes) {
      const isMatch = this.matchIds && this.matchIds.has(node.id);
      pen.fillStyle = isMatch ? colour("second") : colour(node.layer ? UNIT_COLOURS[node.layer.unit] : "strong");
      pen.fillRect(dx + node.x * sx, node.y * sy, Math.max(3, this.width * sx), h);
    }
    const chosen = selection.of(this.build);
    pen.fillStyle = colour("text");
    if (chosen && chosen.node) pen.fillRect(0, chosen.node.y * sy - 1, width, Math.max(3, h));
    pen.strokeStyle = colour("text");
    pen.lineWidth = 1.5;
    const top = -this.y / this.scale * sy, seen = this.size()[1] / this.scale * sy;
    pen.strokeRect(1, Math.max(1, top), width - 2, Math.min(seen, height - Math.max(1, top) - 1));
  }
}
