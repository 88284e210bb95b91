// Bits against accuracy: how much of the code is needed to tell the label.

import { ask } from "./api.js";
import { count, facts, h, noun, one, percent } from "./parts.js";

const SPACE = "http://www.w3.org/2000/svg";
const WIDEST = 720, HEIGHT = 340, LEFT = 52, RIGHT = 24, TOP = 26, BOTTOM = 46;

export async function show(main) {
  const body = h("div", {}, h("p", {}, "Computing …"));
  main.replaceChildren(h("h2", { tabindex: "-1" }, "How many bits are needed"), body);
  let found = await ask("accuracy");
  while (found.state === "computing" && body.isConnected) {
    await new Promise((done) => setTimeout(done, 700));
    found = await ask("accuracy");
  }
  body.replaceChildren(...(found.state === "ready" ? drawn(found) : [h("p", {}, `This needs labels and a few ${noun()}; the index has not both.`)]));
}

function drawn(found) {
  const first = found.points[0], last = found.points.at(-1);
  const enough = found.points.find((point) => point.accuracy >= last.accuracy - 0.01);
  return [
    h("p", { class: "lead" }, `The label of ${one()} is guessed from the ${found.neighbours} stored ${noun()} nearest to it, first with one position of the code, `,
      `then with two, and so on, the most telling first. `, h("b", {}, `${first.bits} bits tell the label of ${percent(first.accuracy)}`),
      `, all ${last.bits} bits of ${percent(last.accuracy)}`,
      enough.bits < last.bits ? `; ${enough.bits} bits come within 1 % of that.` : "."),
    chart(found),
    h("p", { class: "small" }, `The order of the positions: ${found.order.slice(0, 32).join(", ")}${found.order.length > 32 ? ", …" : ""}. `,
      `Dashed: always guessing the most frequent label.`),
    h("p", { class: "small" }, `Asked for ${count(found.asked)} of the ${noun()} shown here, with ${count(found.stored)} others stored. If the model was trained on them, `,
      `${noun()} it has never seen will do worse: measure that with dimco evaluate.`),
    h("details", {}, h("summary", {}, "As a table"), table(found)),
  ];
}

function table(found) {
  const rows = found.points.map((point) => h("tr", {}, h("td", {}, point.positions), h("td", {}, point.bits), h("td", {}, percent(point.accuracy))));
  return h("table", { class: "why" }, h("thead", {}, h("tr", {}, ["positions", "bits", "accuracy"].map((head) => h("th", {}, head)))), h("tbody", {}, rows));
}

function s(tag, properties, text) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function chart(found) {
  const width = Math.min(WIDEST, document.getElementById("main").clientWidth - 28);
  const across = (bits) => LEFT + (bits / facts.bits) * (width - LEFT - RIGHT);
  const up = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const title = `Accuracy against bits: ${found.points.map((point) => `${point.bits} bits ${percent(point.accuracy)}`).join(", ")}`;
  const svg = s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(s("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: up(share), y2: up(share) }));
    svg.append(s("text", { x: LEFT - 8, y: up(share) + 4, "text-anchor": "end" }, `${100 * share} %`));
  }
  svg.append(s("line", { class: "guess", x1: LEFT, x2: width - RIGHT, y1: up(found.majority), y2: up(found.majority) }));
  svg.append(s("polyline", { class: "line", points: found.points.map((point) => `${across(point.bits)},${up(point.accuracy)}`).join(" ") }));
  const every = Math.ceil(found.points.length / 8);
  found.points.forEach((point, place) => {
    svg.append(s("circle", { class: "dot", cx: across(point.bits), cy: up(point.accuracy), r: 5 }));
    if (place % every && place < found.points.length - 1) return;
    svg.append(s("text", { class: "value", x: across(point.bits), y: up(point.accuracy) - 10, "text-anchor": "middle" }, percent(point.accuracy)));
    svg.append(s("text", { x: across(point.bits), y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, point.bits));
  });
  svg.append(s("text", { x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "bits of the code that are compared"));
  return svg;
}
