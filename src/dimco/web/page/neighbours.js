// The answer to a query: its code, the codes nearest to it, and why they are near.

import { code, counted, facts, h, noun, often, percent, pictures, short } from "./parts.js";

export function answer(found, portrait, more) {
  return [
    h("section", { class: "card" }, h("div", { class: "asked" }, portrait, strip(found, portrait)),
      found.note ? h("p", { class: "small note" }, found.note) : null),
    h("h3", {}, "Its neighbours"),
    h("p", { class: "lead" }, explanation(found)),
    found.neighbours.length
      ? h("ol", { class: "neighbours" }, found.neighbours.map((near, place) => h("li", {}, neighbour(near, place, found))))
      : h("p", {}, "There is nothing else to compare it with."),
    more ? h("p", { style: { "margin-top": "12px" } }, h("button", { type: "button", onclick: more }, "Show more neighbours")) : "",
  ];
}

// Whether the query kept its probabilities, or only its code is known.
const sure = (found) => found.strip[0].probability !== null;

function explanation(found) {
  if (!sure(found)) {
    return `Nearest first: the more symbols agree, the nearer. Only the codes are known here, so every symbol counts alike; ` +
      `served with --data, unsure symbols would count less.`;
  }
  return `Nearest first. ${facts.has_pictures ? "Pictures" : "Items"} with the same code stand together. Green symbols agree. ` +
    `The distance is in bits: each bit more halves the chance that the model would give this code to the one you asked for.`;
}

function strip(found, portrait) {
  const cells = found.strip.map((part) => {
    const chip = h("a", { class: "chip", href: `#/symbol/${part.position}/${part.symbol}` }, part.symbol);
    const lines = [h("div", { class: "small" }, `position ${part.position}`), chip];
    if (part.probability !== null) {
      lines.push(h("div", { class: "track", role: "img", "aria-label": `${percent(part.probability)} sure` },
        h("div", { class: "fill", style: { "--v": part.probability } })));
      lines.push(h("div", {}, `${percent(part.probability)} sure`));
      lines.push(h("div", { class: "small" }, `else ${part.runner_up}: ${percent(part.runner_up_probability)}`));
    }
    if (part.top.length) lines.push(h("div", { class: "small" }, `mostly ${often(part.top)}`));
    return h("li", {}, lines);
  });
  const who = found.item
    ? `${facts.has_pictures ? "Picture" : "Item"} ${found.item.id}${found.item.label === null ? "" : `, labelled ${found.item.label}`}`
    : portrait ? "Your picture" : "Your vector";
  return h("div", { style: { flex: "1 1 320px" } }, h("h3", { style: { "margin-top": "0" } }, who),
    h("p", { class: "small" }, sure(found) ? "Its code, and how sure the model is of each symbol:" : "Its code:"),
    h("ul", { class: "strip" }, cells));
}

function neighbour(near, place, found) {
  const d = near.positions.length;
  const marks = near.positions.map((share) => (share.agrees ? "same" : "other"));
  const labels = near.classes.map((share) => `${share.name}${share.share < 1 ? ` ${percent(share.share)}` : ""}`).join(", ");
  const distance = sure(found) ? `${short(near.cost)} bits away` : `${near.cost} ${near.cost === 1 ? "position differs" : "positions differ"}`;
  const shown = near.examples.length < near.items ? `, ${near.examples.length} shown` : "";
  return h("div", { class: `card neighbour ${facts.has_pictures ? "" : "bare"}` },
    h("div", { class: "row", style: { margin: "0" } }, h("b", {}, `${place + 1}.`), code(near.code, marks),
      h("span", {}, near.agreeing === d ? `all ${d} symbols agree` : `${near.agreeing} of ${d} symbols agree`),
      h("span", { class: "small" }, `${distance} · ${counted(near.items)}${shown}${labels ? ` · labelled ${labels}` : ""}`)),
    pictures(near.examples),
    sure(found) ? h("details", { open: place === opened(found) }, h("summary", {}, "Why?"), ...why(near, found)) : null);
}

// The first neighbour whose code differs says most; it stands open.
function opened(found) {
  const place = found.neighbours.findIndex((near) => near.agreeing < near.positions.length);
  return place < 0 ? 0 : place;
}

function why(near, found) {
  const total = near.cost;
  const rows = near.positions.map((share, position) => {
    const part = total ? (share.cost ?? total) / total : 0;
    const own = found.strip[position].symbol;
    return h("tr", {}, h("td", {}, `position ${position}`),
      h("td", {}, h("span", { class: `chip ${share.agrees ? "same" : "other"}` }, share.symbol), share.agrees ? "" : ` not ${own}`),
      h("td", {}, percent(share.probability)), h("td", {}, `${short(share.cost)} bits`),
      h("td", {}, h("div", { class: "track" }, h("div", { class: "fill", style: { "--v": part } }))), h("td", { class: "small" }, percent(part)));
  });
  const heads = ["", "its symbol", "chance", "adds", "share of the distance", ""].map((head) => h("th", {}, head));
  return [h("p", { class: "small" }, verdict(near, found)), h("table", { class: "why" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))];
}

function verdict(near, found) {
  const differing = near.positions.map((share, position) => [share, position]).filter(([share]) => !share.agrees);
  const chance = `"Chance" is how likely the model finds that symbol for the one you asked for; the less likely, the more bits it adds.`;
  if (!differing.length) return `The model gives both the same symbol everywhere: to the code they are the same ${noun(1)}. ${chance}`;
  const [share, position] = differing.sort(([a], [b]) => (b.cost ?? Infinity) - (a.cost ?? Infinity))[0];
  const same = near.positions.length - differing.length;
  return `They share ${same} of ${near.positions.length} symbols. What keeps them apart most is position ${position}: symbol ${share.symbol} there, ` +
    `where the one you asked for has ${found.strip[position].symbol}. ${chance}`;
}
