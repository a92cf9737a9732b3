// Part of Yarrow, under the Apache License v2.0.
// A table that its headings sort. Columns are {title, value(row), text(row),
// isText, class of the cell; for a file csv, the title, and file(row), the value}.
class SortedTable {
  constructor(caption, columns, rows, footer) {
    this.columns = columns;
    this.rows = [...rows];
    this.column = -1;
    const heading = (column, i) => element("th", {class: column.isText ? "" : "n", scope: "col", "aria-sort": "none"},
      element("button", {type: "button", title: column.hint || "Sort", onclick: () => this.sort(i)}, column.title));
    this.body = element("tbody");
    this.headings = columns.map(heading);
    this.table = element("table", {}, element("caption", {hidden: true}, caption),
      element("thead", {}, element("tr", {}, ...this.headings)), this.body);
    if (footer) this.table.append(element("tfoot", {}, element("tr", {}, ...footer.map((text, i) =>
      element("td", {class: columns[i].isText ? "" : "n"}, text)))));
    this.elements = new Map(this.rows.map(row => [row, this.makeRow(row)]));
    this.fill();
    this.body.addEventListener("keydown", event => this.key(event));
  }

  makeRow(row) {
    const line = element("tr", {class: "row", tabindex: "-1"});
    for (const column of this.columns) {
      const shown = column.text ? column.text(row) : column.value(row);
      line.append(element("td", {class: column.isText ? column.class : "n"}, shown));
    }
    line.addEventListener("click", () => this.open(row, line));
    return line;
  }

  open(row, line) {
    const layer = row.layer || row;
    details.cameFrom = line;
    this.focus(line);
    selection.pick(layer);
  }

  focus(line) {
    if (this.current) this.current.setAttribute("tabindex", "-1");
    this.current = line;
    line.setAttribute("tabindex", "0");
    line.focus({preventScroll: false});
  }

  fill(filter = () => true) {
    const shown = this.shownRows = this.rows.filter(filter);
    this.body.replaceChildren(...shown.map(row => this.elements.get(row)));
    if (!this.current || !this.current.isConnected) {
      this.current = this.body.firstElementChild;
      if (this.current) this.current.setAttribute("tabindex", "0");
    }
    this.filter = filter;
    return shown.length;
  }

  sort(index) {
    // Numbers from the largest, texts from A; a second time the other way.
    const isText = this.columns[index].isText;
    this.isDown = this.column === index ? !this.isDown : !isText;
    this.column = index;
    const value = row => this.columns[index].value(row);
    const sign = this.isDown ? -1 : 1;
    const last = v => v === null || v === undefined || Number.isNaN(v);
    this.rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (last(x) || last(y)) return last(x) - last(y);
      return sign * (isText ? String(x).localeCompare(String(y), "en", {numeric: true}) : x - y);
    });
    this.headings.forEach((heading, i) =>
      heading.setAttribute("aria-sort", i !== index ? "none" : this.isDown ? "descending" : "ascending"));
    this.fill(this.filter);
  }

  key(event) {
    const line = event.target.closest("tr");
    const moves = {ArrowDown: () => line.nextElementSibling, ArrowUp: () => line.previousElementSibling,
      Home: () => this.body.firstElementChild, End: () => this.body.lastElementChild};
    if (moves[event.key]) {
      const next = moves[event.key]();
      if (next) this.focus(next);
    } else if (event.key === "Enter") {
      for (const [row, element] of this.elements)
        if (element === line) openDetails(row.layer || row, line);
    } else return;
    event.preventDefault();
  }

  mark(layer) {
    for (const [row, line] of this.elements)
      line.classList.toggle("picked", Boolean(layer) && ((row.layer || row) === layer || row.other === layer));
  }
}

const signed = (value, text) => (value > 0 ? "+" : value < 0 ? "−" : "±") + text(Math.abs(value));
const change = (value, text, isGoodDown = true) => element("span",
  {class: value === 0 ? "" : (value < 0) === isGoodDown ? "better" : "worse"}, signed(value, text));
