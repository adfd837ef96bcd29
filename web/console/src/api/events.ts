// Server-sent events of a response body, as they arrive: of streams that are asked for with POST, or whose refusal has to
// be understood, which EventSource cannot.

export interface ServerEvent {
  event: string;
  data: string;
  id: string; // empty: none
}

// `onBytes` is called for whatever arrives, comments too.
export async function* events(body: ReadableStream<Uint8Array>, onBytes = () => {}): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      rest += value.replaceAll("\r\n", "\n");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const found = parse(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (found) yield found;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): ServerEvent | undefined {
  let event = "message";
  let id = "";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "id") id = value;
    if (name === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n"), id } : undefined;
}
