// The code map: a grid of positions and symbols, used to look around and to choose symbols to combine.

import { ask } from "./api.js";
import { count, counted, facts, h, noun, often, percent, source } from "./parts.js";

const pages = new Map();

async function page(start) {
  if (!pages.has(start)) pages.set(start, await ask("map", { start }));
  return pages.get(start);
}

export const colours = () => (facts.classes_in_all ? ["usage", "information"] : ["usage"]);

export async function grid({ colour, open, mark }) {
  const root = h("div", { class: "map", role: "group", "aria-label": "Code map. Arrow keys move, Enter opens." });
  const shown = [];
  const state = { colour, mark };
  const more = h("button", { type: "button" }, "Show more positions");
  let next = 0;

  async function extend() {
    const part = await page(next);
    next = part.next;
    for (const position of part.positions) {
      const { row, cells } = rowOf(position, open);
      shown.push(...cells);
      more.isConnected ? more.before(row) : root.append(row);
    }
    if (next !== null && !more.isConnected) root.append(more);
    if (next === null) more.remove();
    paint();
  }

  function paint() {
    const value = (cell) => (state.colour === "information" ? cell.information ?? 0 : cell.items);
    const most = Math.max(1e-9, ...shown.map(({ cell }) => value(cell)));
    for (const { node, cell, position } of shown) {
      const strength = value(cell) / most;
      node.style.setProperty("--v", (0.06 + 0.94 * strength).toFixed(3));
      node.classList.toggle("strong", strength > 0.55);
      node.title = describe(cell, position);
      const found = state.mark(position, cell.symbol);
      if (found === "here") node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
      if (found === "has" || found === "lacks") node.dataset.term = found;
      else delete node.dataset.term;
      node.setAttribute("aria-label", `${describe(cell, position)}${found ? ` (${names[found]})` : ""}`);
    }
    root.dataset.most = most;
  }

  more.addEventListener("click", extend);
  root.addEventListener("keydown", (event) => move(event, root, shown));
  await extend();
  if (shown.length) shown[0].node.tabIndex = 0;
  return { root, paint: (changes) => { Object.assign(state, changes); paint(); }, most: () => Number(root.dataset.most) };
}

const names = { here: "shown", has: "must have", lacks: "must not have" };

function rowOf(position, open) {
  const cells = position.cells.map((cell) => {
    const node = h("button", {
      type: "button",
      class: `cell ${cell.items ? "" : "dead"}`,
      tabindex: -1,
      "data-at": `${position.position}:${cell.symbol}`,
      onclick: () => open(position.position, cell.symbol),
    }, h("span", { class: "number" }, cell.symbol), face(cell), h("span", { class: "word" }, often(cell.top)));
    return { node, cell, position: position.position };
  });
  const told = position.information === null ? "" : ` · tells ${position.information.toFixed(2)} of the label's ${facts.label_bits.toFixed(2)} bits`;
  const rest = position.not_listed ? ` · ${count(position.not_listed)} rarely used symbols are not shown` : "";
  const row = h("div", { class: "position" }, h("p", { class: "small" }, `Position ${position.position}${told}${rest}`),
    h("div", { class: "cells" }, cells.map(({ node }) => node)));
  return { row, cells };
}

function face(cell) {
  if (!facts.has_pictures || cell.best === null) return null;
  return h("img", { src: source({ id: cell.best }, 64), alt: "", loading: "lazy", width: 34, height: 34 });
}

function describe(cell, position) {
  const where = `Position ${position}, symbol ${cell.symbol}`;
  if (!cell.items) return `${where}: never used`;
  const top = cell.top.map((share) => `; ${percent(share.share)} are labelled ${share.name}`).join("");
  const told = cell.information === null ? "" : `; tells ${cell.information.toFixed(2)} bits about the label`;
  return `${where}: ${counted(cell.items)}${top}${told}`;
}

function move(event, root, shown) {
  const at = shown.findIndex(({ node }) => node === document.activeElement);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = (node) => node.getBoundingClientRect();
  const here = place(shown[at].node);
  const below = (sign) => {
    const others = shown.filter(({ node }) => sign * (place(node).top - here.top) > 4);
    if (!others.length) return undefined;
    const line = sign > 0 ? Math.min(...others.map(({ node }) => place(node).top)) : Math.max(...others.map(({ node }) => place(node).top));
    const across = ({ node }) => Math.abs(place(node).left - here.left);
    return others.filter(({ node }) => Math.abs(place(node).top - line) < 4).sort((a, b) => across(a) - across(b))[0];
  };
  const targets = {
    ArrowRight: () => shown[at + 1], ArrowLeft: () => shown[at - 1], ArrowDown: () => below(1), ArrowUp: () => below(-1),
    Home: () => shown[0], End: () => shown.at(-1),
  };
  const target = targets[event.key]?.();
  if (!target) return;
  event.preventDefault();
  shown[at].node.tabIndex = -1;
  target.node.tabIndex = 0;
  target.node.focus();
}

export function legend(colour, most) {
  const end = colour === "usage" ? counted(most) : `${most.toFixed(2)} bits`;
  return h("p", { class: "small" }, "0 ", h("span", { class: "scale" }), ` ${end}`,
    h("span", { class: "swatch" }), ` never used by any ${noun(1)}`);
}
