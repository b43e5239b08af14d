/** One server-sent event. */
export interface StreamEvent {
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
}

/** An event may be a whole list of changed rows, but no more. */
const MAX_BUFFER = 32 << 20;

/**
 * Reads server-sent events (HTML, section 9.2) from text that comes in pieces. EventSource is not used because it cannot
 * carry a bearer token.
 */
export class EventStreamParser {
  #rest = "";
  #event = "";
  #data: string[] = [];

  /** The events that `text` completes; comments (heartbeats) yield none. */
  push(text: string): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = this.#line(line);
      if (event !== undefined) events.push(event);
    }
    if (this.#rest.length > MAX_BUFFER) this.#rest = "";
    return events;
  }

  #line(line: string): StreamEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const { length } = this.#data;
    const event = { event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") };
    this.#event = "";
    this.#data = [];
    return length === 0 ? undefined : event;
  }
}
