// Asking for neighbours: of a stored item, of a dropped picture, of a vector.

import { ask, send } from "./api.js";
import { answer } from "./neighbours.js";
import { count, counted, facts, h, noun, one, pictures, problem, say, source } from "./parts.js";
import { go } from "./route.js";

const AT_ONCE = 24;
let brought = null; // the answer to what was dropped or pasted, with its portrait

export async function show(main, route) {
  const [, item] = route.path;
  const result = h("section", { "aria-label": "Answer", "aria-live": "off" });
  if (item === undefined) brought = null;
  const chooser = await choose(route, item !== undefined);
  main.replaceChildren(h("h2", { tabindex: "-1" }, "Find neighbours, and see why"), ...(item === undefined ? [chooser] : [result, chooser]));
  if (item === "yours") result.replaceChildren(...(brought ? answer(...brought) : [h("p", {}, "Drop it again: what was dropped is not kept in the address.")]));
  else if (item !== undefined) await stored(result, item);
}

const FEW = 5, MANY = 25;

async function stored(result, item, n = FEW) {
  try {
    const found = await ask(`item/${encodeURIComponent(item)}`, { n });
    const portrait = facts.has_pictures ? h("img", { class: "portrait", src: source(found.item, 256), alt: `${noun(1)} ${item}` }) : null;
    const more = n === FEW && found.neighbours.length === FEW ? () => stored(result, item, MANY) : null;
    result.replaceChildren(...answer(found, portrait, more));
    say(`${found.neighbours.length} neighbouring codes`);
  } catch (error) {
    result.replaceChildren(problem(error));
  }
}

async function choose(route, after) {
  const label = route.parameters.get("label") || undefined;
  const start = Number(route.parameters.get("start") ?? 0) || 0;
  const where = route.path.join("/");
  const turn = (changes) => go(where, Object.fromEntries(Object.entries({ label, start, ...changes }).filter(([, value]) => value)));
  const listed = await ask("items", { start, n: AT_ONCE, label });
  const select = h("select", { "aria-label": "Label", onchange: (event) => turn({ label: event.target.value, start: 0 }) },
    h("option", { value: "" }, "any label"), facts.classes.map((name) => h("option", { value: name, selected: name === label }, name)));
  const number = h("input", { type: "number", min: 0, placeholder: "number", "aria-label": `Number of the ${noun(1)}`, style: { width: "7em" } });
  const jump = h("form", { class: "row", style: { margin: "0" }, onsubmit: (event) => { event.preventDefault(); if (number.value) go(`query/${number.value}`); } },
    number, h("button", {}, "Go"));
  const last = Math.min(start + listed.items.length, listed.total);
  return h("section", { style: { "margin-top": after ? "28px" : "0" } },
    after ? h("h3", {}, "Ask for another") : h("p", { class: "lead" }, `Choose ${one()}${facts.picture_route ? ", or drop one of your own" : ""}. `,
      `The page shows its code, the stored ${noun()} nearest to it, and what makes them near.`),
    facts.picture_route ? dropzone() : h("p", { class: "small" }, "This model takes feature vectors, not pictures: choose an item, or paste a vector."),
    facts.has_probabilities || facts.features ? vector() : null,
    h("div", { class: "row" }, facts.classes_in_all && facts.classes_in_all <= facts.classes.length ? select : null, jump,
      h("button", { type: "button", disabled: start === 0, onclick: () => turn({ start: Math.max(0, start - AT_ONCE) }) }, "← Earlier"),
      h("button", { type: "button", disabled: listed.next === null, onclick: () => turn({ start: listed.next }) }, "Later →"),
      h("span", { class: "small" }, listed.total ? `${count(start + 1)} to ${count(last)} of ${counted(listed.total)}` : `no ${noun()}`)),
    pictures(listed.items));
}

function dropzone() {
  const input = h("input", { type: "file", class: "unseen", accept: "image/png,image/jpeg,image/webp,image/bmp,image/gif",
    "aria-label": "A picture of your own", onchange: () => input.files[0] && bring(input.files[0]) });
  return h("label", { class: "drop" }, input, h("b", {}, "Drop a picture here"), ", or press to choose a file.",
    h("br"), h("span", { class: "small" }, `It is sent to this server alone, ${facts.picture_route}, and not kept.`));
}

function vector() {
  const text = h("textarea", { rows: 3, style: { width: "100%" }, "aria-label": "Features",
    placeholder: `${facts.features ?? ""} numbers, with spaces or commas between` });
  const out = h("div");
  const submit = async (event) => {
    event.preventDefault();
    const numbers = text.value.split(/[\s,;[\]]+/).filter(Boolean).map(Number);
    try {
      if (!numbers.length || numbers.some(Number.isNaN)) throw new Error("expected numbers, with spaces or commas between");
      keep(await send("query/vector", JSON.stringify({ vector: numbers }), "application/json"), null);
    } catch (error) {
      out.replaceChildren(problem(error));
    }
  };
  return h("details", { style: { margin: "0 0 14px" } }, h("summary", {}, "Paste a vector"),
    h("form", { onsubmit: submit }, text, h("div", { class: "row" }, h("button", {}, "Find neighbours")), out));
}

export async function bring(file) {
  if (!facts.picture_route) return;
  for (const old of document.querySelectorAll("main > .problem")) old.remove();
  try {
    const found = await send("query/picture", file, file.type || "application/octet-stream");
    keep(found, h("img", { class: "portrait", src: URL.createObjectURL(file), alt: "Your picture" }));
  } catch (error) {
    document.getElementById("main").prepend(problem(error));
    say(error.message);
  }
}

function keep(found, portrait) {
  brought = [found, portrait];
  if (location.hash === "#/query/yours") dispatchEvent(new HashChangeEvent("hashchange"));
  else go("query/yours");
}
