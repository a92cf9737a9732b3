// Part of Yarrow, under the Apache License v2.0.
// Figures that are bad or worth a look: a colour, a sign before them, and words
// for who sees neither.

const LEVELS = {
  look: {sign: "▲", text: "worth a look"},
  bad: {sign: "✖", text: "bad"},
};

// The thresholds of compiler/page/PageFindings.h: [worth a look, bad].
const limits = pageData.thresholds;

function levelBelow(value, [look, bad]) {
  if (!known(value)) return null;
  return value < bad ? "bad" : value < look ? "look" : null;
}
function levelFrom(value, [look, bad]) {
  if (!known(value)) return null;
  return value >= bad ? "bad" : value >= look ? "look" : null;
}

const levelOfError = error => error && levelBelow(error.sqnr_db, limits.sqnr_db);
const levelOfCosine = error => error && levelBelow(error.cosine, limits.cosine);
const levelOfClipping = share => levelFrom(share, limits.clipped_share);
const levelOfSides = sides => sides && levelBelow(sides.same_share, limits.same_side_share);
// Much of the run, and more than twice of what the machine needs for it.
const levelOfShare = layer => layer.cycles > 2 * layer.bound_cycles && layer.build.cycles
  ? levelFrom(layer.cycles / layer.build.cycles, limits.cycle_share) : null;

// The text, marked if there is a level.
function marked(text, level) {
  if (!level) return text;
  const {sign, text: words} = LEVELS[level];
  return element("span", {class: "level " + level, title: words},
    element("span", {"aria-hidden": "true"}, sign + "\u00a0"),
    element("span", {class: "unseen"}, words + ": "), text);
}

const levelLegend = () => element("span", {class: "legend levels"},
  ...Object.entries(LEVELS).map(([level, {sign, text}]) =>
    element("span", {class: "level " + level}, `${sign}\u00a0${text}`)));

// A text with `commands`.
function withCode(text) {
  const box = element("span");
  String(text).split("`").forEach((part, i) => box.append(i % 2 ? element("code", {}, part) : part));
  return box;
}

// A text in which the names of layers lead to them.
function linked(text, build) {
  const box = element("span");
  let plain = "";
  for (const part of String(text).split(/(`[^`]*`|\s+)/)) {
    if (part.startsWith("`") && part.endsWith("`") && part.length > 2) {
      box.append(plain, element("code", {}, part.slice(1, -1)));
      plain = "";
      continue;
    }
    const [, before, name, after] = part.match(/^([("'`]*)(.*?)([)"'`.,:;]*)$/);
    const layer = name.length > 1 && build.find(name);
    if (!layer) {
      plain += part;
      continue;
    }
    box.append(plain + before, layerLink(layer, name));
    plain = after;
  }
  box.append(plain);
  return box;
}

// Shows the layer in the view that is open, with its details.
const layerLink = (layer, name = layer.name) => element("button", {type: "button", class: "layer-link",
  title: "Show the layer", onclick: event => openDetails(layer, event.currentTarget)}, name);
