// Where the page is: all of its state stands behind the # of the address, so that an address can be shared.

export function read() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean), parameters: new URLSearchParams(query) };
}

export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) for (const one of [value].flat()) query.append(name, one);
  const text = query.toString().replaceAll("%3A", ":");
  return `#/${path}${text ? `?${text}` : ""}`;
}

export function go(path, parameters) {
  location.hash = address(path, parameters);
}
