import { describe, expect, test } from "vitest";
import { KeelsonError } from "../errors/index.ts";
import { fencedClient } from "./fenced-client.ts";
import { clientFor, configMap, configMaps, respond, startServer, status } from "./test-server.case.ts";

const x = { namespace: "default", name: "x" };
const options = { fieldManager: "keelson" };

describe("fencedClient", () => {
  test("sends no write once the check throws, not even the retry of one that was let through", async () => {
    let isOver = false;
    const server = await startServer((_, response) => {
      isOver = true;
      respond(response, 503, status(503));
    });
    const client = fencedClient(clientFor(server.url), () => {
      if (isOver) throw new KeelsonError("NotLeader", "over");
    });

    const refused = { code: "NotLeader" };
    await expect(client.apply(configMaps, x, "{}", options)).rejects.toMatchObject(refused);
    await expect(client.create(configMaps, x, "{}", options)).rejects.toMatchObject(refused);
    await expect(client.update(configMaps, x, "{}", options)).rejects.toMatchObject(refused);
    await expect(client.patch(configMaps, x, { type: "merge", body: "{}" }, options)).rejects.toMatchObject(refused);
    await expect(client.delete(configMaps, x)).rejects.toMatchObject(refused);
    await expect(client.raw("POST", "/x")).rejects.toMatchObject(refused);

    expect(server.requests).toHaveLength(1);
  });

  test("lets reads pass", async () => {
    const server = await startServer((_, response) => respond(response, 200, configMap("x")));
    const client = fencedClient(clientFor(server.url), () => {
      throw new KeelsonError("NotLeader", "over");
    });

    await client.get(configMaps, x);
    await client.raw("GET", "/version");

    expect(server.requests).toHaveLength(2);
  });
});
