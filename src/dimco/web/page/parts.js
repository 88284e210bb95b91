// Pieces that views share: elements, numbers in words, pictures, codes, bars.

export const facts = {}; // what /api/about says, filled in once at the start

export function h(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, part] of Object.entries(value)) made.style.setProperty(key, part);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const count = (number) => number.toLocaleString("en");
export const noun = (number = 2) => (facts.has_pictures ? "picture" : "item") + (number === 1 ? "" : "s");
export const one = () => `${facts.has_pictures ? "a" : "an"} ${noun(1)}`;
export const counted = (number) => `${count(number)} ${noun(number)}`;
export const short = (number) => (number === null ? "∞" : number < 0.05 && number > 0 ? "<0.1" : number.toFixed(1));

export function percent(share) {
  if (share > 0 && share < 0.001) return "<0.1\u00a0%";
  if (share < 1 && share > 0.995) return ">99\u00a0%";
  return `${(100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0)}\u00a0%`;
}

export function say(message) {
  document.getElementById("announcer").textContent = message;
}

export function source(item, side = 128) {
  return `/api/picture/${item.id}?side=${side}&version=${facts.version}`;
}

const named = (item) => (item.label === null ? `item ${item.id}` : `${item.label}`);

export function code(symbols, marks = []) {
  const chips = symbols.map((symbol, position) =>
    h("a", {
      class: `chip ${marks[position] ?? ""}`,
      href: `#/symbol/${position}/${symbol}`,
      title: `position ${position}, symbol ${symbol}`,
    }, symbol));
  return h("span", { class: "code" }, chips);
}

export function picture(item, detail = "", classes = "") {
  const label = `${noun(1)} ${item.id}${item.label === null ? "" : `, labelled ${item.label}`}`;
  const what = h("span", { class: "what" }, named(item), detail ? h("span", { class: "detail" }, detail) : null);
  const link = { href: `#/query/${item.id}`, title: `${label}: show its neighbours` };
  if (facts.has_pictures) {
    const image = h("img", { src: source(item), alt: label, loading: "lazy", width: 84, height: 84 });
    return h("a", { ...link, class: `picture ${classes}` }, image, what);
  }
  const values = item.values ? h("span", { class: "what small" }, item.values.map((value) => value.toPrecision(3)).join(" ")) : null;
  const labelled = item.label === null ? null : h("span", { class: "what small" }, `labelled ${item.label}`);
  const symbols = h("span", { class: "what small" }, item.code.slice(0, 16).join("·"));
  const head = h("span", { class: "what" }, h("b", {}, `item ${item.id}`), detail ? ` ${detail}` : "");
  return h("a", { ...link, class: `picture text ${classes}` }, head, labelled, symbols, values);
}

export function pictures(items, detail = () => "", classes = () => "") {
  return h("ul", { class: "pictures" }, items.map((item) => h("li", {}, picture(item, detail(item), classes(item)))));
}

// The labels that are frequent among the items of a symbol.
export const often = (top) => top.filter((share, place) => place === 0 || share.share >= 0.15).map((share) => share.name).join(", ");

export function examples(items, matches) {
  const sure = (item) => (item.probability === null ? "" : percent(item.probability));
  const alike = items.filter((item) => item.matches);
  const rest = items.filter((item) => !item.matches);
  const parts = [alike.length ? pictures(alike, sure) : h("p", { class: "small" }, `No ${noun(1)} is stored with this.`)];
  if (alike.length && alike.length < matches) parts.push(h("p", { class: "small" }, `${count(alike.length)} of ${counted(matches)} shown.`));
  if (rest.length && alike.length >= matches) {
    parts.push(h("p", { class: "small" }, `The nearest of the others: their codes say otherwise, but with the least conviction.`));
    parts.push(pictures(rest.slice(0, 12), sure, () => "unlike"));
  }
  return parts;
}

export function bars(classes, inAll, extra = (share) => `${percent(share.share)} · ${count(share.items)}`) {
  const rows = classes.slice(0, 8).flatMap((share) => [
    h("span", { class: "name", title: share.name }, share.name),
    h("div", { class: "track" }, h("div", { class: "fill", style: { "--v": share.share } })),
    h("span", { class: "small" }, extra(share)),
  ]);
  const more = inAll - Math.min(8, classes.length);
  return [h("div", { class: "bars" }, rows), ...(more > 0 ? [h("p", { class: "small" }, `and ${count(more)} more labels`)] : [])];
}

export function problem(error) {
  return h("p", { class: "problem", role: "alert" }, error.message);
}
