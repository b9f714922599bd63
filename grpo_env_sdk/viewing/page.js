"use strict";
// Text is set only by textContent, so markup in a transcript is shown as text.
const data = JSON.parse(document.getElementById("data").textContent);
const [first, second] = data.runs; // the run that is shown, and the earlier one
const PAGE = 100, LONG = 4000, byId = (id) => document.getElementById(id);
const several = first.table.some((row) => row.sample > 0);
const view = { shown: first.table, found: null, wanted: "", bin: null, cause: null, page: 0, here: 0, open: null };

function element(tag, attributes = {}, ...children) {
  const drawn = ["svg", "g", "rect", "text", "title"].includes(tag);
  const node = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const number = (value, digits = 3) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits).replace(/^-(0\.?0*)$/, "$1"));
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// --- episodes: inside an exported file, else fetched from the server when they are opened ---

async function get(address) {
  const answer = await fetch(address).catch(() => null);
  byId("gone").hidden = Boolean(answer?.ok);
  if (answer?.status === 409) byId("gone").textContent = await answer.text(); // the run is another one by now
  return answer?.ok ? answer.json() : null;
}

const record = async (run, i) => (data.records ? data.records[run][i] : get(`episode?run=${run}&i=${i}&version=${data.version}`));

async function search(text) {
  if (!data.records) return get(`search?q=${encodeURIComponent(text)}&version=${data.version}`);
  return data.records[0].flatMap((one, i) => (searched(one).includes(text) ? [i] : []));
}

function searched(one) { // the same as in index.py
  const texts = [];
  JSON.stringify([one.messages, one.tool_calls, one.row, Object.values(one.error || {})], (key, value) => {
    if (["role", "type", "id", "tool_call_id"].includes(key)) return undefined;
    if (["string", "number"].includes(typeof value)) texts.push(value);
    return value;
  });
  return texts.join("\n").toLowerCase();
}

// --- the head: what was evaluated, the histogram of rewards, causes of failures ---

const meanText = ({ mean, low, high }) =>
  (mean === null ? "no reward" : number(mean) + (low === null ? "" : ` [${number(low)}, ${number(high)}]`));
const named = (run) => `${run.manifest.policy} (${run.path})`;

function showHead() {
  const { manifest, summary } = first, planned = manifest.rows * manifest.samples;
  byId("title").textContent = document.title = `${manifest.policy} on ${manifest.env}`;
  byId("about").textContent = [
    `reward ${meanText(summary.reward)}`,
    first.training && `${first.training.steps}${first.training.of ? `/${first.training.of}` : ""} steps`,
    counted(summary.episodes, "episode") + (summary.episodes < planned ? ` of ${planned} planned` : ""),
    first.running && (data.records ? "still running when this page was written" : "running: load the page again for more"),
    summary.scored < summary.episodes && `${summary.episodes - summary.scored} without a reward`,
    ...first.notes, `${manifest.split} split`, first.path, manifest.created?.slice(0, 16).replace("T", " "),
  ].filter(Boolean).join(" · ");
  byId("charts").append(histogram(first.histogram), parts(summary.rewards), causes(summary.errors));
  byId("stop").append(...Object.entries(summary.stop_reasons).map(([name, count]) =>
    element("option", { value: name }, `${name} (${count})`)));
  byId("head").append(...COLUMNS.map(([name, kind]) => element("th", { class: kind, scope: "col" }, name)));
}

function showComparison({ text, settings }) {
  byId("compared").append(`Compared with ${named(second)}: ${text}`,
    settings.length ? folded("changed settings", settings.join("\n")) : "");
  byId("compared").hidden = false;
  byId("sort").prepend(element("option", { value: "change" }, "largest loss first"), element("option", { value: "-change" }, "largest gain first"));
  byId("sort").value = "change";
}

function histogram({ low, high, counts }) {
  const width = 320, height = 70, step = width / counts.length;
  const edge = (bin) => number(low + (bin * (high - low)) / counts.length, 2);
  const bars = counts.map((count, bin) => {
    const tall = Math.max(2, (count / Math.max(...counts)) * height), x = bin * step;
    const name = `${counted(count, "episode")} with a reward from ${edge(bin)} to ${edge(bin + 1)}`;
    return count === 0 ? null : element("g", { ...filter("bin", bin), role: "button", tabindex: 0, "aria-label": name },
      element("title", {}, name), element("rect", { class: "whole", x, y: 0, width: step, height }),
      element("rect", { x: x + 1, y: height - tall, width: step - 2, height: tall }));
  });
  return figure("rewards (select a bar to filter)",
    element("svg", { width, height: height + 16, viewBox: `0 0 ${width} ${height + 16}`, role: "group" }, ...bars,
      element("text", { x: 0, y: height + 13 }, number(low, 2)),
      element("text", { x: width, y: height + 13, "text-anchor": "end" }, number(high, 2))));
}

const figure = (caption, content) => element("figure", {}, element("figcaption", {}, caption), content);

const parts = (means) => figure("reward parts (mean)",
  definitions(Object.entries(means).map(([name, mean]) => [name, meanText(mean)])));

const causes = (errors) => figure("failures (select one to filter)", element("div", { id: "causes" },
  ...Object.entries(errors).slice(0, 4).map(([cause, count]) =>
    element("button", { ...filter("cause", cause), type: "button" }, `${count} × ${cause}`))));

function filter(name, value) { // attributes of a bar or button that toggles a filter
  const choose = () => { view[name] = view[name] === String(value) ? null : String(value); refresh(); };
  return { "data-filter": name, "data-value": value, onclick: choose };
}

// --- the table ---

const key = (row) => `${row.env}/${row.row}/${row.sample}`;
const earlier = new Map((second ? second.table : []).map((row) => [key(row), row]));

function change(row) { // a lost reward is the largest loss; a row without an earlier one counts as unchanged
  const was = earlier.get(key(row)), value = (one) => one.reward ?? -Infinity;
  return !was || was.reward === row.reward ? 0 : value(row) - value(was);
}

const bad = (row) => (row.cause ? "bad" : "");
const mixed = new Set(first.table.map((row) => row.env)).size > 1;
const COLUMNS = [
  ...(mixed ? [["environment", "roomy", (row) => row.env]] : []),
  several ? ["row / sample", "number", (row) => `${row.row} / ${row.sample}`] : ["row", "number", (row) => row.row],
  ["reward", "number", (row) => number(row.reward), bad],
  ...(!second ? [] : [
    ["before", "number wide", (row) => number(earlier.get(key(row))?.reward)],
    ["change", "number", (row) => (Number.isFinite(change(row)) ? (change(row) > 0 ? "+" : "") + number(change(row)) : "–"),
      (row) => (change(row) > 0 ? "good" : change(row) < 0 ? "bad" : "")],
  ]),
  ["ended", "wide", (row) => row.stop, bad],
  ["turns", "number roomy", (row) => row.turns],
  ["calls", "number roomy", (row) => row.calls + (row.failed_calls ? ` (${row.failed_calls} failed)` : "")],
  ["prompt", "text asked roomy", (row) => row.asked],
  ["last answer", "text", (row) => row.said, bad],
];

function refresh() {
  const stop = byId("stop").value, failed = byId("failed").checked, found = view.found && new Set(view.found);
  view.shown = first.table.filter((row) =>
    (!stop || row.stop === stop) && (!failed || row.cause) && (!view.cause || row.cause === view.cause) &&
    (!found || found.has(row.i)) && (view.bin === null || String(row.bin) === view.bin));
  const by = byId("sort").value, name = by.replace("-", ""), sign = by.startsWith("-") ? -1 : 1;
  const value = name === "change" ? change : (row) => row[name] ?? -Infinity; // episodes without a reward come first
  const order = (a, b) => (a === b ? 0 : a < b ? -1 : 1);
  view.shown.sort((a, b) => order(value(a), value(b)) * sign || a.row - b.row || a.sample - b.sample);
  view.page = view.here = 0;
  byId("clear").hidden = !(stop || failed || found || view.cause || view.bin !== null);
  const buttons = document.querySelectorAll("[data-filter]");
  for (const each of buttons) each.setAttribute("aria-pressed", view[each.dataset.filter] === each.dataset.value);
  showRows();
}

function showRows() {
  const from = view.page * PAGE, all = first.table.length, shown = view.shown.length, pages = Math.ceil(shown / PAGE);
  byId("rows").replaceChildren(...view.shown.slice(from, from + PAGE).map(tableRow));
  byId("count").textContent = (shown < all ? `${shown.toLocaleString("en")} of ` : "") + counted(all, "episode");
  byId("page").textContent = `${view.page + 1} of ${pages}`;
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page + 1 >= pages;
  byId("pages").hidden = pages < 2;
  mark();
}

function tableRow(row, at) {
  const cells = COLUMNS.map(([, kind, show, colour = () => ""]) =>
    element("td", { class: `${kind} ${colour(row)}` }, String(show(row))));
  return element("tr", { tabindex: -1, onclick: () => { view.here = at; mark(); open(row); } }, ...cells);
}

function mark() {
  for (const line of byId("rows").children) Object.assign(line, { className: "", tabIndex: -1 });
  if (rowHere()) Object.assign(byId("rows").children[view.here], { className: "here", tabIndex: 0 });
}

function move(by) {
  const lines = byId("rows").children;
  view.here = Math.min(lines.length - 1, Math.max(0, view.here + by));
  mark();
  lines[view.here]?.scrollIntoView({ block: "nearest" });
  if (view.open) openHere(); else lines[view.here]?.focus();
}

const rowHere = () => view.shown[view.page * PAGE + view.here];
const openHere = () => { if (rowHere()) open(rowHere()); };

function turnPage(by) {
  if (!view.shown[(view.page + by) * PAGE]) return;
  Object.assign(view, { page: view.page + by, here: 0 });
  showRows();
  byId("list").scrollIntoView();
}

// --- one episode, or all samples of its row ---

function open(row) {
  const was = earlier.get(key(row));
  const wanted = was ? [[1, was.i, `before: ${named(second)}`], [0, row.i, `after: ${named(first)}`]] : [[0, row.i, null]];
  return show(row, false, `${mixed ? `${row.env}, ` : ""}row ${row.row}${several ? `, sample ${row.sample}` : ""}`, wanted);
}

function openGroup() {
  const row = view.open || rowHere();
  if (!row || !several) return;
  if (view.group) return open(row);
  const rows = first.table.filter((each) => each.row === row.row && each.env === row.env).sort((a, b) => a.sample - b.sample);
  const wanted = rows.map((each) => [0, each.i, `sample ${each.sample}`]);
  return show(row, true, `row ${row.row}, ${counted(rows.length, "sample")}`, wanted);
}

async function show(row, group, title, wanted) {
  Object.assign(view, { open: row, group });
  const asked = (view.asked = {}); // only the last request is shown
  const records = await Promise.all(wanted.map(([run, i]) => record(run, i)));
  if (view.asked !== asked || records.includes(null)) return;
  const openings = records.map((one) => JSON.stringify(one.messages.slice(0, one.opening)));
  const shared = records.length > 1 && openings.every((each) => each === openings[0]) ? records[0].opening : 0;
  const articles = records.map((one, at) => episode(one, shared, wanted[at][2]));
  const button = (name, onclick) => element("button", { type: "button", onclick }, name);
  byId("detail").replaceChildren(
    element("div", { class: "bar" }, element("h2", {}, title), element("span", {},
      several ? button(group ? "one sample (g)" : "all samples (g)", openGroup) : null, " ", button("close (Esc)", close))),
    shared ? element("details", { open: true }, element("summary", {}, "prompt"), ...messageBoxes(records[0], 0, shared)) : "",
    articles.length > 1 ? element("div", { class: "samples" }, ...articles) : articles[0],
    records[0].tools ? folded(counted(records[0].tools.length, "tool"), JSON.stringify(records[0].tools, null, 2)) : "",
    folded("row", JSON.stringify(records[0].row, null, 2)));
  Object.assign(byId("detail"), { hidden: false, scrollTop: 0 });
  byId("detail").focus({ preventScroll: true });
}

function close() {
  byId("detail").replaceChildren();
  byId("detail").hidden = true;
  Object.assign(view, { open: null, group: false, asked: null });
  byId("rows").children[view.here]?.focus({ preventScroll: true });
}

function episode(one, from, name) {
  const facts = [["reward", number(one.reward)]];
  for (const [part, value] of Object.entries(one.rewards)) facts.push([part, value === null ? "abstained" : number(value)]);
  if (one.step_rewards.length) facts.push(["step rewards", one.step_rewards.map((value) => number(value)).join(", ")]);
  for (const [metric, value] of Object.entries(one.metrics)) facts.push([metric, number(value)]);
  const stages = Object.entries(one.timings), seconds = stages.reduce((sum, [, value]) => sum + value, 0);
  const summary = [one.stop_reason, counted(one.turns, "turn"), counted(one.tool_calls.length, "tool call"),
    `${number(seconds)} s (${stages.map(([stage, value]) => `${stage} ${number(value)}`).join(", ")})`,
    ...Object.entries(one.usage).map(([kind, count]) => `${count} ${kind.replace("_", " ")}`)];
  return element("article", {}, name ? element("h2", {}, name) : null, definitions(facts),
    element("p", { class: "soft" }, summary.join(" · ")), one.error ? faultBox(one.error) : null,
    ...messageBoxes(one, from));
}

const messageBoxes = (one, from, to) => one.messages.slice(from, to).map((message, place) => {
  const box = messageBox(message, one.tool_calls), read = readBefore(one, (from || 0) + place);
  if (!read) return box;
  const own = read.filter((item) => typeof item === "object"), title = `read ${read.length} of ${(from || 0) + place} messages`;
  box.prepend(own.length ? folded(`${title}, ${own.length} of them changed`, JSON.stringify(own, null, 2))
    : element("div", { class: "soft" }, title));
  return box;
});

function readBefore(one, place) { // what a view showed before a turn: places of messages, and messages that are not among them
  if (!one.views || place < one.opening || one.messages[place].role !== "assistant") return null;
  const turn = one.messages.slice(one.opening, place).filter((message) => message.role === "assistant").length;
  return one.views.slice(0, turn + 1).reduce((read, [kept, ...items]) => [...read.slice(0, kept), ...items], []);
}

const definitions = (facts) => element("dl", {},
  ...facts.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value)]));

function faultBox(error) {
  return element("div", { class: "fault" },
    element("strong", { class: "bad" }, `${error.whose} failed in ${error.stage}: ${error.type}`), ...long(error.message),
    error.traceback ? folded("traceback", error.traceback) : null);
}

function messageBox(message, outcomes) {
  const content = textOf(message.content);
  const outcome = message.role === "tool" ? outcomes.find((each) => each.id === message.tool_call_id) : null;
  const head = [message.role, message.role === "tool" && message.name, outcome && `${number(outcome.seconds)} s`,
    outcome?.error];
  const box = element("div", { class: "message", "data-role": message.role },
    element("div", { class: `role ${outcome?.error ? "bad" : ""}` }, head.filter(Boolean).join(" · ")));
  if (message.reasoning_content) box.append(folded("thoughts", textOf(message.reasoning_content)));
  if (message.role === "tool") box.append(folded(short(content), pretty(content), outcome?.error ? "bad" : ""));
  else if (content) box.append(...long(content));
  box.append(...imagesOf(message.content));
  if (outcome?.detail) box.append(folded("traceback", outcome.detail));
  for (const { function: called } of message.tool_calls || []) {
    box.append(folded(`→\u00a0${called.name}(${short(textOf(called.arguments, 0))})`, textOf(called.arguments)));
  }
  return box;
}

function textOf(content, indent = 2) {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content.filter((part) => !sourceOf(part)) : [null];
  const texts = parts.map((part) => (part?.type === "text" ? part.text : null));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : JSON.stringify(content ?? "", null, indent);
}

function sourceOf(part) { // of an image that the run keeps, or that is in the record itself; nothing is loaded from elsewhere
  const kept = part?.image?.["$"] === "image" ? part.image.sha256 : null, url = part?.image_url?.url ?? part?.image_url;
  if (typeof kept === "string") return data.images ? data.images[kept] || "data:," : `image/${encodeURIComponent(kept)}`;
  return typeof url === "string" && url.startsWith("data:image/") ? url : null;
}

const imagesOf = (content) => (Array.isArray(content) ? content : []).map(sourceOf).filter(Boolean)
  .map((src) => element("img", { src, alt: "an image of this message" }));

const short = (text) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);
const long = (text) => (text.length <= LONG ? [element("pre", {}, text)]
  : [element("pre", {}, `${text.slice(0, LONG / 2)}…`), folded(`all ${counted(text.length, "character")}`, text)]);
const pretty = (text) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };

function folded(title, text, kind = "") { // open if it contains the text of the search
  return element("details", { open: Boolean(view.wanted) && text.toLowerCase().includes(view.wanted) },
    element("summary", { class: kind }, title), element("pre", {}, text));
}

// --- input ---

async function searchNow() {
  clearTimeout(view.waiting);
  const text = byId("search").value.trim().toLowerCase();
  const found = text ? await search(text) : null;
  if (byId("search").value.trim().toLowerCase() !== text) return;
  Object.assign(view, { found, wanted: text });
  refresh();
}
byId("search").addEventListener("input", () => { clearTimeout(view.waiting); view.waiting = setTimeout(searchNow, 200); });
byId("filters").addEventListener("submit", (event) => {
  event.preventDefault();
  searchNow().then(() => byId("rows").firstElementChild?.focus());
});
for (const id of ["stop", "sort", "failed"]) byId(id).addEventListener("change", refresh);
byId("clear").addEventListener("click", () => {
  byId("search").value = byId("stop").value = "";
  byId("failed").checked = false;
  Object.assign(view, { found: null, wanted: "", bin: null, cause: null });
  refresh();
});
for (const [id, by] of [["previous", -1], ["next", 1]]) byId(id).addEventListener("click", () => turnPage(by));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input[type=search], select");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || (event.key === "Enter" && event.target.matches("button, summary"))) return;
  if (event.key.startsWith("Arrow") && event.target.closest("#detail")) return; // arrow keys scroll there
  const press = event.target.matches("g") ? () => event.target.dispatchEvent(new MouseEvent("click")) : null;
  const actions = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), Enter: press || openHere,
    " ": press, Escape: close, g: openGroup, n: () => turnPage(1), p: () => turnPage(-1), "/": () => byId("search").focus(),
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

showHead();
if (data.comparison) showComparison(data.comparison);
refresh();
