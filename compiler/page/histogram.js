// Part of Yarrow, under the Apache License v2.0.
// How the values of a tensor are spread. Heights are logarithmic: few values far
// from the others decide a range, and are what is to be seen.

const HISTOGRAM = {width: 300, height: 84, bottom: 16};

// {from, step, min, max, counts}, and the range that integers stand for, if any.
function histogram(values, range, label) {
  const {width, height, bottom} = HISTOGRAM;
  const last = values.from + values.step * values.counts.length;
  const low = Math.min(values.from, range ? range[0] : Infinity);
  const high = Math.max(last, range ? range[1] : -Infinity);
  const x = value => (value - low) / (high - low) * width;
  const most = Math.log1p(Math.max(...values.counts));
  const floor = height - bottom;
  let inner = "";
  values.counts.forEach((number, i) => {
    if (!number) return;
    const h = Math.max(1, Math.log1p(number) / most * (floor - 6));
    const begin = values.from + i * values.step;
    const isOutside = range && (begin + values.step <= range[0] || begin >= range[1]);
    inner += `<rect class="${isOutside ? "outside" : "bar-in"}" x="${x(begin).toFixed(1)}" y="${(floor - h).toFixed(1)}" ` +
      `width="${Math.max(0.8, x(begin + values.step) - x(begin) - 0.6).toFixed(1)}" height="${h.toFixed(1)}">` +
      `<title>${escaped(`${real(begin)} to ${real(begin + values.step)}: ${count(number)}`)}</title></rect>`;
  });
  inner += `<line class="axis" x1="0" x2="${width}" y1="${floor}" y2="${floor}"/>`;
  if (low < 0 && high > 0) inner += `<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="${floor}"/>`;
  for (const end of range || [])
    inner += `<line class="range" x1="${x(end)}" x2="${x(end)}" y1="0" y2="${floor}"/>`;
  inner += `<text x="0" y="${height - 3}">${real(low)}</text>` +
    `<text x="${width}" y="${height - 3}" text-anchor="end">${real(high)}</text>`;
  const box = element("div", {class: "histogram", role: "img", "aria-label":
    `${label}: ${count(values.counts.reduce((a, b) => a + b, 0))} values from ${real(values.min)} to ${real(values.max)}` +
    (range ? `, range ${real(range[0])} to ${real(range[1])}` : "")});
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}">${inner}</svg>`;
  return box;
}
