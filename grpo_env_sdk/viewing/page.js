"use strict";
// Text reaches the page through textContent alone, so a transcript full of markup shows as text.
const data = JSON.parse(document.getElementById("data").textContent);
const [first, second] = data.runs;
const byId = (id) => document.getElementById(id);
const PAGE = 100;
const view = { shown: first.table, found: null, bin: null, page: 0, here: 0, open: null };

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function svg(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

const number = (value, digits = 3) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));

async function record(run, i) {
  if (data.records) return data.records[run][i];
  return (await fetch(`episode?run=${run}&i=${i}`)).json();
}

async function search(text) {
  if (!data.records) return (await fetch(`search?run=0&q=${encodeURIComponent(text)}`)).json();
  const wanted = text.toLowerCase();
  return data.records[0].flatMap((one, i) => (JSON.stringify(one).toLowerCase().includes(wanted) ? [i] : []));
}

// --- the head: what was measured, and how the rewards are spread ---

function meanText({ mean, low, high }) {
  return mean === null ? "no reward" : number(mean) + (low === null ? "" : ` [${number(low)}, ${number(high)}]`);
}

function showHead() {
  const { manifest, summary } = first;
  document.title = `${manifest.policy} on ${manifest.env}`;
  byId("title").textContent = document.title;
  const parts = [`reward ${meanText(summary.reward)}`, `${summary.episodes} episodes`, `${summary.scored} scored`];
  if (second) parts.push(`compared with ${second.manifest.policy} (${second.path}): ${meanText(second.summary.reward)}`);
  byId("about").textContent = parts.join(" · ");
  byId("charts").append(histogram());
  for (const name of Object.keys(summary.stop_reasons)) {
    byId("stop").append(element("option", { value: name }, `${name} (${summary.stop_reasons[name]})`));
  }
  const columns = [["row", "number"], ["#", "number wide"], ["reward", "number"]];
  if (second) columns.push(["other", "number"], ["change", "number"]);
  columns.push(["ended", "wide"], ["turns", "number wide"], ["said", ""]);
  byId("head").append(...columns.map(([name, kind]) => element("th", { class: kind, scope: "col" }, name)));
}

function histogram() {
  const rewards = first.table.filter((row) => row.reward !== null).map((row) => row.reward);
  const [low, high] = minmax(rewards, ...first.manifest.reward_range);
  const bins = 20, width = 320, height = 70, counts = new Array(bins).fill(0);
  const binOf = (reward) => Math.min(bins - 1, Math.max(0, Math.floor(((reward - low) / (high - low || 1)) * bins)));
  for (const reward of rewards) counts[binOf(reward)] += 1;
  const tallest = Math.max(1, ...counts);
  const drawn = svg("svg", { width, height: height + 16, viewBox: `0 0 ${width} ${height + 16}`, role: "group" });
  counts.forEach((count, bin) => {
    if (!count) return;
    const tall = Math.max(2, (count / tallest) * height);
    const from = low + (bin * (high - low)) / bins, to = low + ((bin + 1) * (high - low)) / bins;
    const box = svg("rect", { x: (bin * width) / bins + 1, y: height - tall, width: width / bins - 2, height: tall, tabindex: 0 });
    box.append(svg("title", {}, `${count} episodes with a reward from ${number(from, 2)} to ${number(to, 2)}`));
    const choose = () => { view.bin = view.bin === bin ? null : bin; markBin(drawn); refresh(); };
    box.addEventListener("click", choose);
    box.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.stopPropagation(); choose(); } });
    box.dataset.bin = bin;
    drawn.append(box);
  });
  drawn.append(svg("text", { x: 0, y: height + 13 }, number(low, 2)));
  drawn.append(svg("text", { x: width, y: height + 13, "text-anchor": "end" }, number(high, 2)));
  view.binOf = binOf;
  view.drawn = drawn;
  return element("figure", {}, element("figcaption", {}, "rewards (choose a bar to filter)"), drawn);
}

function minmax(values, low, high) {
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  return [low, high];
}

function markBin(drawn) {
  for (const box of drawn.querySelectorAll("rect")) box.classList.toggle("chosen", Number(box.dataset.bin) === view.bin);
}

// --- the table ---

function otherReward(row) {
  if (!view.other) {
    view.other = new Map(second.table.map((each) => [`${each.row}/${each.sample}`, each.reward]));
  }
  return view.other.get(`${row.row}/${row.sample}`) ?? null;
}

function change(row) {
  const other = second ? otherReward(row) : null;
  return other === null || row.reward === null ? null : row.reward - other;
}

function refresh() {
  const stop = byId("stop").value, failed = byId("failed").checked;
  const found = view.found && new Set(view.found);
  view.shown = first.table.filter((row) =>
    (!stop || row.stop === stop) && (!failed || row.error) && (!found || found.has(row.i)) &&
    (view.bin === null || (row.reward !== null && view.binOf(row.reward) === view.bin)));
  const by = byId("sort").value, key = by.replace("-", ""), sign = by.startsWith("-") ? -1 : 1;
  const worth = (row) => (key === "change" ? change(row) : row[key]);
  view.shown.sort((a, b) => order(worth(a), worth(b), sign) || a.row - b.row || a.sample - b.sample);
  view.page = view.here = 0;
  byId("clear").hidden = !(stop || failed || found || view.bin !== null);
  showRows();
}

function order(a, b, sign) {
  // Without a reward comes first among the worst: it is what somebody looks for.
  if (a === b) return 0;
  if (a === null) return -sign;
  if (b === null) return sign;
  return a < b ? -sign : sign;
}

function showRows() {
  const from = view.page * PAGE, rows = view.shown.slice(from, from + PAGE);
  byId("rows").replaceChildren(...rows.map((row, at) => tableRow(row, at)));
  const pages = Math.max(1, Math.ceil(view.shown.length / PAGE));
  byId("count").textContent = `${view.shown.length} of ${first.table.length} episodes`;
  byId("page").textContent = `${view.page + 1} of ${pages}`;
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page + 1 >= pages;
  byId("pages").hidden = pages === 1;
  mark();
}

function tableRow(row, at) {
  const cell = (text, kind = "") => element("td", { class: kind }, text);
  const cells = [cell(row.row, "number"), cell(row.sample, "number wide"),
    cell(number(row.reward), `number ${row.reward === null ? "bad" : ""}`)];
  if (second) {
    const moved = change(row);
    cells.push(cell(number(otherReward(row)), "number"));
    cells.push(cell(moved === null ? "–" : (moved > 0 ? "+" : "") + number(moved),
      `number ${moved > 0 ? "good" : moved < 0 ? "bad" : ""}`));
  }
  cells.push(cell(row.stop, `wide ${row.error ? "bad" : ""}`), cell(row.turns, "number wide"),
    cell(row.error || row.said, `said ${row.error ? "bad" : ""}`));
  return element("tr", { onclick: () => { view.here = at; mark(); open(row); } }, ...cells);
}

function mark() {
  [...byId("rows").children].forEach((line, at) => line.classList.toggle("here", at === view.here));
}

function move(by) {
  const rows = byId("rows").children;
  view.here = Math.min(rows.length - 1, Math.max(0, view.here + by));
  mark();
  rows[view.here]?.scrollIntoView({ block: "nearest" });
  if (view.open !== null && !byId("detail").hidden) openHere();
}

const openHere = () => { const row = view.shown[view.page * PAGE + view.here]; if (row) open(row); };

function turnPage(by) {
  const pages = Math.ceil(view.shown.length / PAGE);
  view.page = Math.min(pages - 1, Math.max(0, view.page + by));
  view.here = 0;
  showRows();
}

// --- one episode, or all samples of its row ---

async function open(row) {
  view.open = row;
  const shown = [await record(0, row.i)];
  if (second) {
    const other = second.table.find((each) => each.row === row.row && each.sample === row.sample);
    if (other) shown.push(await record(1, other.i));
  }
  if (view.open === row) showDetail(`row ${row.row}, sample ${row.sample}`, shown, second && ["this run", "other run"]);
}

async function openGroup() {
  if (!view.open) return;
  const rows = first.table.filter((each) => each.row === view.open.row).sort((a, b) => a.sample - b.sample);
  const shown = await Promise.all(rows.map((row) => record(0, row.i)));
  showDetail(`row ${view.open.row}, all ${shown.length} samples`, shown, rows.map((row) => `sample ${row.sample}`));
}

function showDetail(title, records, names) {
  const several = first.table.some((row) => row.sample > 0);
  const bar = element("div", { class: "bar" }, element("h2", {}, title),
    element("span", {}, several ? element("button", { type: "button", onclick: openGroup }, "all samples (g)") : null, " ",
      element("button", { type: "button", onclick: close }, "close (Esc)")));
  const articles = records.map((one, at) => episode(one, names ? names[at] : null));
  byId("detail").replaceChildren(bar, articles.length > 1 ? element("div", { class: "samples" }, ...articles) : articles[0]);
  byId("detail").hidden = false;
  byId("detail").scrollTop = 0;
}

function close() {
  byId("detail").hidden = true;
  view.open = null;
}

function episode(one, name) {
  const facts = [["reward", number(one.reward)]];
  for (const [part, value] of Object.entries(one.rewards)) facts.push([part, value === null ? "abstained" : number(value)]);
  facts.push(["ended", one.stop_reason], ["turns", one.turns]);
  facts.push(["seconds", Object.entries(one.timings).map(([stage, value]) => `${stage} ${number(value)}`).join(", ")]);
  const used = Object.entries(one.usage).map(([kind, count]) => `${count} ${kind.replace("_", " ")}`).join(", ");
  if (used) facts.push(["tokens", used]);
  const list = element("dl", {}, ...facts.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, String(value))]));
  const said = one.messages.map((message) => messageBox(message, one.tool_calls));
  return element("article", {}, name ? element("h2", {}, name) : null, list, one.error ? faultBox(one.error) : null, ...said,
    folded("row", JSON.stringify(one.row, null, 2)));
}

function faultBox(error) {
  return element("div", { class: "bad" },
    element("strong", {}, `${error.whose} failed in ${error.stage}: ${error.type}`),
    element("pre", {}, error.message), error.traceback ? folded("traceback", error.traceback) : null);
}

function messageBox(message, outcomes) {
  const content = typeof message.content === "string" ? message.content : JSON.stringify(message.content, null, 2);
  const box = element("div", { class: `message ${["user", "assistant", "tool", "system"].includes(message.role) ? message.role : ""}` },
    element("div", { class: "role" }, message.role + (message.role === "tool" && message.name ? ` ${message.name}` : "")));
  if (message.reasoning_content) box.append(folded("thoughts", message.reasoning_content));
  if (message.role === "tool") {
    const outcome = outcomes.find((each) => each.id === message.tool_call_id);
    box.append(folded(short(content), pretty(content), outcome && outcome.error ? "bad" : ""));
    if (outcome && outcome.detail) box.append(folded("traceback", outcome.detail));
  } else if (content) {
    box.append(element("pre", {}, content));
  }
  for (const call of message.tool_calls || []) {
    const given = call.function.arguments;
    const text = typeof given === "string" ? given : JSON.stringify(given);
    box.append(folded(`→ ${call.function.name}(${short(text)})`, typeof given === "string" ? given : JSON.stringify(given, null, 2)));
  }
  return box;
}

const short = (text) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

function folded(title, text, kind = "") {
  return element("details", {}, element("summary", { class: kind }, title), element("pre", {}, text));
}

// --- what a person does ---

let waiting = null;
byId("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const text = byId("search").value.trim();
    const found = text ? await search(text) : null;
    if (byId("search").value.trim() === text) { view.found = found; refresh(); }
  }, 200);
});
for (const id of ["stop", "sort", "failed"]) byId(id).addEventListener("change", refresh);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("clear").addEventListener("click", () => {
  byId("search").value = byId("stop").value = "";
  byId("failed").checked = false;
  view.found = view.bin = null;
  markBin(view.drawn);
  refresh();
});
byId("previous").addEventListener("click", () => turnPage(-1));
byId("next").addEventListener("click", () => turnPage(1));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { document.activeElement?.blur(); close(); return; }
  if (["INPUT", "SELECT"].includes(document.activeElement?.tagName)) return;
  const actions = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), Enter: openHere,
    g: openGroup, n: () => turnPage(1), p: () => turnPage(-1), "/": () => byId("search").focus(),
  };
  const pressed = event.target.tagName === "BUTTON" && event.key === "Enter" ? null : actions[event.key];
  if (pressed) { event.preventDefault(); pressed(); }
});

showHead();
if (second) {
  byId("sort").append(element("option", { value: "change" }, "fell most"), element("option", { value: "-change" }, "rose most"));
}
refresh();
