import type { Socket } from "node:net";

interface Connection {
  readonly socket: Socket;
  /** Its requests that are being answered. */
  answering: number;
}

/**
 * The open connections of a server, at most so many. Where one more comes, the oldest that is waiting for nothing of
 * ours is closed: slow and idle clients in any number keep no probe out.
 */
export class Connections {
  readonly #max: number;
  /** By {@link peerOf}, in order of arrival. */
  readonly #open: Map<string, Connection> = new Map();

  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Socket): void {
    if (this.#open.size >= this.#max) this.#makeRoom();
    if (this.#open.size >= this.#max) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    const connection: Connection = { socket, answering: 0 };
    this.#open.set(peer, connection);
    socket.once("close", () => {
      if (this.#open.get(peer) === connection) this.#open.delete(peer);
    });
  }

  /** A request of this connection (or of the TLS session on it) is being answered until the returned function is called. */
  answering(socket: Socket): () => void {
    const connection = this.#open.get(peerOf(socket));
    if (connection === undefined) return () => {};
    connection.answering += 1;
    return () => {
      connection.answering -= 1;
    };
  }

  #makeRoom(): void {
    for (const [peer, { socket, answering }] of this.#open) {
      if (answering > 0) continue;
      this.#open.delete(peer);
      socket.destroy();
      return;
    }
  }
}

/** A TLS session does not tell its socket, but both tell the other side's address and port. */
function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
