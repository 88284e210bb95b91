// Symbols together: those a picture must have, and those it must not.

import { ask } from "./api.js";
import { grid } from "./map.js";
import { bars, count, counted, examples, facts, h, noun, percent, problem, say } from "./parts.js";
import { go } from "./route.js";

let held = null;
let asked = 0;

export async function show(main, route) {
  const terms = new Map();
  for (const kind of ["has", "lacks"]) for (const term of route.parameters.getAll(kind)) terms.set(term, kind);
  const mark = (position, symbol) => terms.get(`${position}:${symbol}`) ?? null;
  if (!held?.root.isConnected) {
    held = await build(mark);
    main.replaceChildren(held.root);
  }
  held.terms = terms;
  held.map.paint({ mark });
  held.list.replaceChildren(...[...terms].map(([term, kind]) => chip(terms, term, kind)));
  await answer(held, terms);
}

async function build(mark) {
  const map = await grid({ colour: "usage", mark, open: (position, symbol) => step(held.terms, position, symbol) });
  const live = h("p", { class: "small", "data-live": true });
  const list = h("ul", { class: "terms", "aria-label": "Chosen symbols" });
  const panel = h("section", { class: "card", "aria-label": `${noun()} that match` });
  const left = h("section", {}, h("h2", { tabindex: "-1" }, "Combine symbols"),
    h("p", { class: "lead" }, `A symbol is one trait; several together say more. Press a square once for `, h("b", {}, "AND"),
      ` (must have it), again for `, h("b", {}, "NOT"), ` (must not), again to let it go. The address of this page keeps your choice.`),
    list, live, map.root);
  return { root: h("div", { class: "columns" }, left, panel), map, list, live, panel, terms: new Map() };
}

function step(terms, position, symbol) {
  const term = `${position}:${symbol}`;
  const following = { undefined: "has", has: "lacks", lacks: undefined }[terms.get(term)];
  choose(terms, term, following);
}

function choose(terms, term, kind) {
  const next = new Map(terms);
  if (kind === undefined) next.delete(term);
  else next.set(term, kind);
  if (kind === "has") {
    const position = term.split(":")[0];
    for (const [other, its] of terms) if (its === "has" && other !== term && other.split(":")[0] === position) next.delete(other);
  }
  const of = (wanted) => [...next].filter(([, its]) => its === wanted).map(([name]) => name);
  go("combine", { has: of("has"), lacks: of("lacks") });
}

function chip(terms, term, kind) {
  const [position, symbol] = term.split(":");
  const name = symbol === undefined ? `"${term}"` : `position ${position}, symbol ${symbol}`;
  const other = kind === "has" ? "lacks" : "has";
  return h("li", { class: kind },
    h("button", { class: "kind", type: "button", title: "Change between AND and NOT", onclick: () => choose(terms, term, other) },
      kind === "has" ? "AND" : "NOT"),
    h("button", { type: "button", onclick: () => go(`symbol/${position}/${symbol}`) }, name),
    h("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => choose(terms, term, undefined) }, "✕"));
}

async function answer({ panel, live }, terms) {
  const mine = (asked += 1);
  if (!terms.size) {
    live.textContent = "";
    panel.replaceChildren(h("h3", {}, "Nothing chosen yet"), h("p", {}, `Press squares of the map. How many ${noun()} match, and which, is shown here.`));
    return;
  }
  const of = (kind) => [...terms].filter(([, its]) => its === kind).map(([term]) => term);
  let found;
  try {
    found = await ask("combine", { has: of("has"), lacks: of("lacks"), n: 48 });
  } catch (error) {
    if (mine === asked) panel.replaceChildren(problem(error));
    return;
  }
  if (mine !== asked) return;
  const top = found.classes[0];
  const pure = found.purity === null ? null : h("p", {}, `${percent(found.purity)} of them are labelled `, h("b", {}, top.name), ".");
  panel.replaceChildren(
    h("p", { class: "figure", id: "matches" }, count(found.matches)),
    h("p", { class: "small" }, `of ${counted(found.of)} match`),
    pure ?? "",
    ...(found.classes.length ? bars(found.classes, found.classes_in_all) : []),
    h("h3", {}, facts.has_probabilities ? `The ${noun()} that show it best` : `Some of the ${noun()}`),
    ...examples(found.examples, found.matches));
  live.textContent = `${counted(found.matches)} match${found.matches === 1 ? "es" : ""}.`;
  say(live.textContent);
}
