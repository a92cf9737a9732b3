// Part of Yarrow, under the Apache License v2.0.
// A layer of the network as a box: its unit has a colour, a shape and letters.

const BAND = 36; // width of the part with the unit's letters
const FAR = 0.33; // the scale below which no text can be read

// The outline of a box: tensor engine a rectangle, TECs with cut corners, DMA
// round ends, inputs and outputs slanted.
function outline(shape, width, height) {
  switch (shape) {
    case "tec": {
      const c = Math.min(9, height / 3);
      return `M${c} 0H${width - c}L${width} ${c}V${height - c}L${width - c} ${height}H${c}L0 ${height - c}V${c}Z`;
    }
    case "dma": {
      const r = height / 2;
      return `M${r} 0H${width - r}a${r} ${r} 0 0 1 0 ${height}H${r}a${r} ${r} 0 0 1 0 ${-height}Z`;
    }
    case "outer":
      return `M12 0H${width}L${width - 12} ${height}H0Z`;
    case "none":
      return `M0 0H${width}V${height}H0Z`;
    default: {
      const r = 4;
      return `M${r} 0H${width - r}q${r} 0 ${r} ${r}V${height - r}q0 ${r} ${-r} ${r}H${r}q${-r} 0 ${-r} ${-r}V${r}q0 ${-r} ${r} ${-r}Z`;
    }
  }
}

// Its left part, with the unit's letters.
function bandOutline(unit, width, height) {
  const c = {tec: 9, dma: height / 2, none: 0}[unit] ?? 4;
  const corner = {tec: ["L0 " + (height - c), `L${c} 0`], none: ["", ""]}[unit] ||
    [`a${c} ${c} 0 0 1 ${-c} ${-c}`, `a${c} ${c} 0 0 1 ${c} ${-c}`];
  return `M${c} 0H${width}V${height}H${c}${corner[0]}V${c}${corner[1]}Z`;
}

const unitLegend = () => element("span", {class: "legend"}, ...Object.entries(UNITS).map(([unit, {short, name}]) => {
  const item = element("span");
  item.innerHTML = `<svg width="38" height="18" aria-hidden="true"><path class="${unit}" d="${outline(unit, 38, 18)}"/>` +
    `<text x="19" y="13" text-anchor="middle" font-size="10" font-weight="700" fill="var(--on-engine)">${short}</text></svg>${isModel && unit === "none" ? "folded into others" : name}`;
  return item;
}));

// Of a network before any build: no layer any more once it is compiled.
const isFolded = layer => isModel && layer.build.report.target && layer.unit === "none";

const hasShare = layer => layer && layer.cycles > 0 && layer.build.cycles > 0;

// From far away only the outline, otherwise texts as well: the name; the type
// and its window; the output, and at the right the share of the cycles.
function nodeContent(node, w, h, isFar) {
  const {layer, tensor} = node;
  const unit = layer ? layer.unit : "outer";
  const left = layer ? BAND + 8 : 16;
  const shapes = `<path class="box" d="${outline(unit, w, h)}"/>` +
    (layer ? `<path class="band ${unit}" d="${bandOutline(unit, BAND, h)}"/>` : "");
  if (isFar) return shapes;
  const under = tensor ? `${layer && !isModel ? "" : tensor.type + " "}${shapeText(tensor)}` : "";
  const share = hasShare(layer) ? percent(layer.cycles, layer.build.cycles) : "";
  const bar = share ? (w - left - 10) * layer.cycles / layer.build.mostCycles : 0;
  const level = share && levelOfShare(layer);
  // Of a wide font.
  const room = Math.floor((w - left - 8) / 7.6), typeRoom = Math.floor((w - left - 8) / 6.6);
  const window = layer ? layer.window : "";
  const isPart = layer && isFolded(layer);
  return shapes +
    (layer ? `<text class="unit" x="${BAND / 2}" y="${h / 2 + 3.5}">${UNITS[unit].short}</text>` : "") +
    `<text class="name" x="${left}" y="18">${escaped(shortName(node.name, room))}</text>` +
    `<text x="${left}" y="33">${escaped(shortName(layer ? layer.type : node.kind, window ? typeRoom - window.length - 1 : typeRoom))}</text>` +
    (window ? `<text class="window" x="${w - 10}" y="33">${window}</text>` : "") +
    `<text x="${left}" y="48">${escaped(shortName(under, share || isPart ? typeRoom - 8 : typeRoom))}</text>` +
    (isPart ? `<text class="share" x="${w - 10}" y="48">folded</text>` : "") +
    (share ? `<text class="share${level ? " level " + level : ""}" x="${w - 10}" y="48">` +
      `${level ? LEVELS[level].sign + " " : ""}${share}</text>` +
      `<rect class="bar ${unit}" x="${left}" y="${h - 8}" width="${bar.toFixed(1)}" height="3"/>` : "");
}
