import { describe, expect, it } from "vitest";
import { ManualClock } from "../../async/index.ts";
import type { ReplyStream } from "../route.ts";
import { LiveHub } from "./live-hub.ts";
import type { DashboardListener, DashboardSource } from "./ports.ts";
import type { ObjectRow, Overview, TimelineEntry } from "./types.ts";

function row(name: string, state: ObjectRow["state"] = "converged"): ObjectRow {
  return { key: name, group: "", kind: "ConfigMap", namespace: "default", name, state, readiness: "Current" };
}

class Source implements Pick<DashboardSource, "overview" | "rows" | "subscribe"> {
  all: readonly ObjectRow[] = [row("a"), row("b")];
  looks = 0;
  listener: DashboardListener | undefined;

  overview(): Overview {
    this.looks += 1;
    return { instance: "cp-1" } as Overview;
  }
  rows(): readonly ObjectRow[] {
    return this.all;
  }
  subscribe(listener: DashboardListener): () => void {
    this.listener = listener;
    return () => {
      this.listener = undefined;
    };
  }
}

class Page implements ReplyStream {
  readonly #leaving = new AbortController();
  readonly signal = this.#leaving.signal;
  text = "";
  isReading = true;
  async write(part: string): Promise<void> {
    this.text += part;
    if (!this.isReading)
      await new Promise((_, reject) => this.signal.addEventListener("abort", () => reject(this.signal.reason)));
  }
  leave(): void {
    this.#leaving.abort();
  }
  get events(): readonly string[] {
    return [...this.text.matchAll(/^event: (\w+)$/gm)].map(([, kind = ""]) => kind);
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

function bed() {
  const clock = new ManualClock();
  const source = new Source();
  const hub = new LiveHub(source as unknown as DashboardSource, clock);
  const open = async (): Promise<Page> => {
    const page = new Page();
    hub.stream(page).catch(() => {});
    await turns();
    return page;
  };
  return { clock, source, hub, open };
}

describe("LiveHub", () => {
  it("greets a page with all that the overview shows", async () => {
    const { open } = bed();

    expect((await open()).events).toEqual(["hello", "overview"]);
  });

  it("tells what happens at once, and rows and overview a moment later and together", async () => {
    const { clock, source, open } = bed();
    const page = await open();

    source.all = [row("a", "failed")];
    source.listener?.onEntry({ id: 1 } as TimelineEntry);
    source.listener?.onStatus();
    source.listener?.onStatus();
    await turns();
    expect(page.events).toEqual(["hello", "overview", "timeline"]);
    await clock.advance(250);
    await turns();

    expect(page.events).toEqual(["hello", "overview", "timeline", "rows", "overview"]);
    const [, data = ""] = /event: rows\ndata: (.*)/.exec(page.text) ?? [];
    expect(JSON.parse(data)).toEqual({ changed: [row("a", "failed")], removed: ["b"] });
  });

  it("says nothing of rows that stay as they are", async () => {
    const { clock, source, open } = bed();
    const page = await open();

    source.all = [row("a"), row("b")];
    source.listener?.onStatus();
    await clock.advance(250);
    await turns();

    expect(page.events).toEqual(["hello", "overview", "overview"]);
  });

  it("has a page fetch the list anew where very much has changed", async () => {
    const { clock, source, open } = bed();
    const page = await open();

    source.all = Array.from({ length: 1200 }, (_, at) => row(`new-${at}`));
    source.listener?.onStatus();
    await clock.advance(250);
    await turns();

    expect(page.events).toContain("reload");
    expect(page.events).not.toContain("rows");
  });

  it("shows that it is alive where nothing happens", async () => {
    const { clock, open } = bed();
    const page = await open();

    await clock.advance(4_000);
    await turns();

    expect(page.text.endsWith(": still here\n\n")).toBe(true);
  });

  it("computes nothing while no page is open", async () => {
    const { clock, source, hub, open } = bed();
    expect(source.listener).toBeUndefined();
    const page = await open();
    expect(source.listener).toBeDefined();

    source.listener?.onStatus();
    page.leave();
    await turns();
    const { looks } = source;
    await clock.advance(60_000);

    expect(hub.size).toBe(0);
    expect(source.listener).toBeUndefined();
    expect(source.looks).toBe(looks);
  });

  it("sends a page away that does not read", async () => {
    const { source, hub, open } = bed();
    const page = await open();
    page.isReading = false;

    for (let at = 0; at < 60; at += 1)
      source.listener?.onEntry({ id: at, reason: "x".repeat(100_000) } as TimelineEntry);
    await turns();
    page.leave();
    await turns();

    expect(hub.size).toBe(0);
    expect(page.text.length).toBeLessThan(2_000_000);
  });
});
