// The first view: what a code is, the map, and the page of one symbol beside it.

import { ask } from "./api.js";
import { colours, grid, legend } from "./map.js";
import { bars, code, count, counted, examples, facts, h, noun, one, percent, problem, say, source } from "./parts.js";
import { go } from "./route.js";

let held = null; // the map and its panel, kept while symbols are opened one after another

export async function show(main, route) {
  const colour = colours().includes(route.parameters.get("colour")) ? route.parameters.get("colour") : "usage";
  const here = route.path[0] === "symbol" ? route.path.slice(1).join(":") : null;
  const mark = (position, symbol) => (`${position}:${symbol}` === here ? "here" : null);
  if (!held?.root.isConnected) {
    held = await build(colour, mark);
    main.replaceChildren(held.root);
  }
  held.map.paint({ colour, mark });
  held.colour(colour);
  if (here === null) held.panel.replaceChildren(invitation());
  else await open(held.panel, ...here.split(":"));
}

async function build(colour, mark) {
  const withColour = (path, wanted) => go(path, wanted === "usage" ? {} : { colour: wanted });
  const current = () => new URLSearchParams(location.hash.split("?")[1]).get("colour") ?? "usage";
  const map = await grid({ colour, mark, open: (position, symbol) => withColour(`symbol/${position}/${symbol}`, current()) });
  const panel = h("section", { class: "card", "aria-label": "One symbol", tabindex: "-1" });
  const key = h("div");
  const choices = { usage: `how many ${noun()}`, information: "what it tells about the label" };
  const buttons = colours().map((name) =>
    h("button", { type: "button", onclick: () => withColour(location.hash.slice(2).split("?")[0], name) }, choices[name]));
  const left = h("section", {}, h("h2", { tabindex: "-1" }, "What the symbols mean"), introduction(),
    h("div", { class: "row" }, h("span", { class: "small" }, "Colour by"), buttons), map.root, key);
  return {
    root: h("div", { class: "columns" }, left, panel),
    map,
    panel,
    colour(name) {
      buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(colours()[place] === name)));
      key.replaceChildren(legend(name, map.most()));
    },
  };
}

function introduction() {
  const saved = facts.feature_bits ? `, ${Math.round(facts.feature_bits / facts.bits)} times less than its ${facts.features} features` : "";
  const item = facts.example;
  const image = facts.has_pictures ? h("img", { src: source(item, 64), alt: "", width: 40, height: 40 }) : null;
  const labelled = item.label === null ? "" : ` (labelled ${item.label})`;
  return [
    h("p", { class: "lead" }, `Each ${noun(1)} is stored as a `, h("b", {}, "code"), `: ${facts.d} symbols, one for each row below, `,
      `in ${facts.bits} bits${saved}. A `, h("b", {}, "symbol"), ` is a group the model made: ${noun()} with the same symbol in a row `,
      `look alike to it there. `,
      facts.classes_in_all ? `A square shows ${facts.has_pictures ? "its clearest picture and " : ""}the most frequent labels of its ${noun()}. ` : "", h("b", {}, "Press a square"), ` to see them.`),
    h("p", { class: "lead inline" }, "For example, ", image, ` ${noun(1)} ${item.id}${labelled} is stored as `, code(item.code), "."),
  ];
}

function invitation() {
  return [h("h3", {}, "Choose a symbol"), h("p", {}, `Press any square of the map: here you will see its ${noun()}`,
    facts.classes_in_all ? ", which labels they have," : "", " and what the symbol has to do with them."),
    h("p", { class: "small" }, "With the keyboard: Tab to the map, arrow keys to move, Enter to open.")].reduce(into, h("div"));
}

const into = (parent, child) => { parent.append(child); return parent; };

async function open(panel, position, symbol) {
  let found;
  try {
    found = await ask(`symbol/${position}/${symbol}`, { n: 24 });
  } catch (error) {
    panel.replaceChildren(problem(error));
    return;
  }
  const term = `${position}:${symbol}`;
  panel.replaceChildren(
    h("h2", {}, `Position ${position}, symbol ${symbol}`),
    h("p", {}, sentence(found)),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: () => go("combine", { has: term }) }, "Combine: AND this"),
      h("button", { type: "button", onclick: () => go("combine", { lacks: term }) }, "Combine: NOT this")),
    ...(found.classes.length ? [h("h3", {}, `Labels of its ${noun()}`),
      ...bars(found.classes, found.classes_in_all, (share) => `${percent(share.share)} · ${share.lift.toFixed(1)}× its usual share`)] : []),
    h("h3", {}, facts.has_probabilities ? `The ${noun()} that show it best` : `Some of its ${noun()}`),
    facts.has_probabilities ? h("p", { class: "small" }, `The percentage is how sure the model is that the ${noun(1)} belongs here.`) : "",
    ...examples(found.examples, found.items));
  say(`Position ${position}, symbol ${symbol}: ${counted(found.items)}`);
  if (matchMedia("(max-width: 820px)").matches) panel.scrollIntoView({ block: "start" });
}

function sentence(found) {
  if (!found.items) return `No ${noun(1)} has this symbol: the model does not use it.`;
  const main = found.classes.slice(0, 3).filter((share, place) => place === 0 || share.share >= 0.15);
  const labels = main.length ? ` Of these, ${main.map((share) => `${percent(share.share)} are labelled ${share.name}`).join(", ")}.` : "";
  const told = found.information === null ? "" : ` Knowing whether ${one()} has it tells ${found.information.toFixed(2)} of the label's ${facts.label_bits.toFixed(2)} bits.`;
  return `${count(found.items)} of ${counted(found.of)} (${percent(found.items / found.of)}) have this symbol.${labels}${told}`;
}
