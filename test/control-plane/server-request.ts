import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface ServerRequest {
  readonly url: string;
  readonly ca?: string;
  readonly token?: string;
}

export interface ServerResponse {
  readonly status: number;
  readonly body: string;
}

/** One GET on a connection of its own: independent of the client under test. Rejects where nothing answers in 2 s. */
export function get({ url, ca, token }: ServerRequest): Promise<ServerResponse> {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        agent: false,
        timeout: 2000,
        ...(ca === undefined ? {} : { ca }),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
        });
      },
    );
    request.once("timeout", () => request.destroy(new Error("no answer in 2 s")));
    request.once("error", reject);
    request.end();
  });
}

/** The status of a GET, 0 where nothing answers. */
export async function statusOf(request: ServerRequest): Promise<number> {
  try {
    return (await get(request)).status;
  } catch {
    return 0;
  }
}
