// Asking the server: JSON in, JSON out, and errors as one line.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function ask(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, one);
  }
  return read(await fetch(`/api/${path}?${query}`));
}

export async function send(path, body, type) {
  return read(await fetch(`/api/${path}`, { method: "POST", body, headers: { "Content-Type": type } }));
}

async function read(response) {
  const text = await response.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Refused(response.status, "the server's answer cannot be read");
  }
  if (!response.ok) throw new Refused(response.status, content.error ?? "the server refused");
  return content;
}

export function keepKey(key) {
  document.cookie = `dimco-key=${encodeURIComponent(key)}; SameSite=Strict; path=/`;
}
