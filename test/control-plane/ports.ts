import { createServer } from "node:net";
import { TestBedError } from "./errors.ts";

// Below the range from which kernels take the local ports of outgoing connections (32768 up on Linux): a server that
// is stopped in a test must find its port free when it comes back.
const firstPort = 20_000;
const portCount = 12_000;

/** Picks `count` different loopback ports that nothing listens on now. Another process may still take one. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const free = new Set<number>();
  for (let tries = 0; free.size < count; tries += 1) {
    if (tries > 1000) throw new TestBedError(`no ${count} free loopback ports from ${firstPort}`);
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await isFree(port)) free.add(port);
  }
  return [...free];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
