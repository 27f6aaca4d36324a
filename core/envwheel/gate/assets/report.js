
"use strict";
const body = document.querySelector("#verdicts tbody");
const rows = [...body.rows];
const [filter, verdict, code, shown] = ["filter", "verdict", "code", "shown"].map((id) => document.getElementById(id));
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

const more = document.getElementById("more");
const number = (value) => value.toLocaleString("en");
const FIRST = 200;
let order = rows;
let most = FIRST;

function show() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row) => (!verdict.value || row.dataset.verdict === verdict.value) &&
    (!code.value || row.dataset.code === code.value) && words.every((word) => texts.get(row).includes(word));
  let count = 0;
  for (const row of order) row.hidden = !(fits(row) && ++count <= most);
  more.hidden = count <= most;
  shown.textContent = `${number(count)} of ${number(rows.length)} environments` +
    (count > most ? `, the first ${number(most)} shown` : "");
}

function again() {
  most = FIRST;
  show();
}

more.addEventListener("click", () => { most += 5 * FIRST; show(); });
let waiting = 0;
filter.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(again, 120); });
verdict.addEventListener("change", again);
code.addEventListener("change", again);
document.querySelectorAll("button.code").forEach((button) => button.addEventListener("click", () => {
  code.value = button.textContent;
  verdict.value = "";
  again();
  document.getElementById("verdicts").scrollIntoView({ behavior: "smooth" });
}));

const heads = [...document.querySelectorAll("#verdicts thead th")];
heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach((other) => other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const keys = new Map(rows.map((row) => [row, row.cells[column].textContent]));
  const compare = head.classList.contains("seconds") ? (a, b) => keys.get(a) - keys.get(b)
    : (a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0);
  order = [...rows].sort((a, b) => (up ? compare(a, b) : compare(b, a)));
  for (const row of rows) row.hidden = true;
  body.append(...order);
  again();
}));
again();
