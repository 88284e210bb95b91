// The start: what is explored, the views by address, dropping anywhere, and the key where one is needed.

import * as accuracy from "./accuracy.js";
import { ask, keepKey } from "./api.js";
import * as combine from "./combine.js";
import { count, counted, facts, h, problem } from "./parts.js";
import * as query from "./query.js";
import { read } from "./route.js";
import * as symbols from "./symbols.js";

const main = document.getElementById("main");
const views = { combine, query, accuracy, symbol: symbols, map: symbols };
const tabs = { symbol: "map" };
let before = null;

async function show() {
  const route = read();
  const name = route.path[0] in views ? route.path[0] : "map";
  const tab = tabs[name] ?? name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    await views[name].show(main, route);
  } catch (error) {
    main.replaceChildren(problem(error));
  }
  if (before !== null && (before !== tab || name === "query")) {
    scrollTo(0, 0);
    main.querySelector("h2")?.focus({ preventScroll: true });
  }
  before = tab;
}

function listenForDrops() {
  const zone = () => document.querySelector(".drop");
  addEventListener("dragover", (event) => { event.preventDefault(); zone()?.classList.add("over"); });
  addEventListener("dragleave", () => zone()?.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    zone()?.classList.remove("over");
    if (event.dataTransfer.files[0]) query.bring(event.dataTransfer.files[0]);
  });
}

function skipWithoutLeaving() {
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); main.scrollIntoView(); });
}

function askForKey(error) {
  const input = h("input", { type: "password", required: true, autocomplete: "off", "aria-label": "API key" });
  const form = h("form", { class: "card", onsubmit: (event) => { event.preventDefault(); keepKey(input.value); start(); } },
    h("h2", {}, "This explorer needs a key"), h("p", {}, "Whoever started it chose the key, with --api-key."),
    h("div", { class: "row" }, input, h("button", {}, "Open")), document.cookie.includes("dimco-key") ? problem(error) : null);
  main.replaceChildren(form);
  input.focus();
}

async function start() {
  try {
    Object.assign(facts, await ask("about"));
  } catch (error) {
    if (error.status === 401) askForKey(error);
    else main.replaceChildren(problem(error));
    return;
  }
  document.getElementById("facts").textContent =
    `${counted(facts.items)} · ${facts.k} symbols at each of ${count(facts.d)} positions · ${count(facts.bits)} bits each`;
  addEventListener("hashchange", show);
  if (facts.picture_route) listenForDrops();
  await show();
}

skipWithoutLeaving();
start();
