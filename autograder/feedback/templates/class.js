// The class page's table: search, filter and sort. Without it the page is a plain table with all students.
"use strict";
(() => {
  const table = document.getElementById("table"), body = table.tBodies[0], rows = [...body.rows];
  const form = document.getElementById("filters"), shown = document.getElementById("shown");
  const name = document.getElementById("name"), only = document.getElementById("only");
  const heads = [...table.tHead.rows[0].cells], first = heads.length - 1 - parts();
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = rows.map((row) => plain([...row.cells].slice(0, first).map((c) => c.textContent).join(" ")));
  let by = -1, up = true;

  function parts() { return only.querySelectorAll('option[value^="e"]').length; }
  function number(text) { const n = parseFloat(text.replace(",", ".")); return Number.isNaN(n) ? -Infinity : n; }
  function has(row, tag) {
    if (!tag) return true;
    if (/^e\d+$/.test(tag)) return row.cells[first + Number(tag.slice(1))].classList.contains("part");
    return row.dataset.t.split(" ").includes(tag);
  }
  function apply() {
    const wanted = plain(name.value.trim());
    let n = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words[i].includes(wanted) && has(row, only.value));
      n += !row.hidden;
    });
    shown.textContent = shown.dataset.text.replace("@", n);
  }
  function sort(column) {
    up = by === column ? !up : column === 0 || !heads[column].classList.contains("n");
    by = column;
    const numbers = heads[column].classList.contains("n");
    const key = (row) => (numbers ? number(row.cells[column].textContent) : plain(row.cells[column].textContent));
    const keys = new Map(rows.map((row, i) => [row, [key(row), i]]));
    const order = [...rows].sort((a, b) => {
      const [x, i] = keys.get(a), [y, j] = keys.get(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1) || i - j;
    });
    body.append(...order);
    heads.forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }
  function remember() {
    const state = new URLSearchParams();
    if (name.value) state.set("name", name.value);
    if (only.value) state.set("only", only.value);
    history.replaceState(null, "", `#${state}`);
  }
  function recall(jump) {
    const state = new URLSearchParams(location.hash.slice(1));
    if (!state.has("only") && !state.has("name") && !state.has("sort")) return;
    name.value = state.get("name") || "";
    only.value = state.get("only") || "";
    if (state.has("sort")) sort(Number(state.get("sort")));
    apply();
    if (jump) { table.scrollIntoView(); name.focus({ preventScroll: true }); }
  }
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(i));
    head.append(button);
  });
  form.hidden = false;
  document.body.classList.add("scripted");
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  addEventListener("hashchange", () => recall(true));
  apply();
  recall(Boolean(location.hash));
})();
