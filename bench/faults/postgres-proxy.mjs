// A proxy in front of PostgreSQL that can stop after any message of its clients.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const SYNC = 0x53; // S
const QUERY = 0x51; // Q
const READY = 0x5a; // Z
const ANY = /./s;

/**
 * Passes all messages until it is armed: then it counts client messages across all connections, and after a given
 * number passes nothing in either direction. A message that completes work on the server (Sync, Query) counts as the
 * last one only after the server has responded, so that the table content is certain; the response is dropped.
 */
export class PostgresProxy {
  /** Types of the messages passed since it was armed, one letter each. */
  passed = '';
  #server;
  #sockets = new Set();
  #fresh = new Set();
  #left = Infinity;
  #counted = ANY;
  #isCut = false;
  #onCut = () => undefined;

  /** @param databaseUrl the database behind the proxy */
  static async start(databaseUrl) {
    const proxy = new PostgresProxy();
    const { hostname, port } = new URL(databaseUrl);
    proxy.#server = createServer({ noDelay: true }, (client) => {
      proxy.#join(client, connect({ host: hostname, port: Number(port), noDelay: true }));
    });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The database through the proxy. */
  urlOf(databaseUrl) {
    const url = new URL(databaseUrl);
    url.port = String(this.#server.address().port);
    return url.href;
  }

  /** Starts counting all messages or those of some types; resolves when the proxy stops passing messages. */
  arm(messages, types = ANY) {
    this.passed = '';
    this.#left = messages;
    this.#counted = types;
    return new Promise((resolve) => (this.#onCut = resolve));
  }

  /** Number of open connections that were opened after it was last disarmed. */
  get freshConnections() {
    return this.#fresh.size;
  }

  /** Passes messages again, on new connections: stopped connections end. */
  disarm() {
    this.#left = Infinity;
    this.#isCut = false;
    this.#fresh.clear();
    for (const socket of this.#sockets) socket.end();
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client, server) {
    const connection = { greeted: false, finishing: false, fromClient: Buffer.alloc(0), fromServer: Buffer.alloc(0) };
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined); // either side may disconnect at any time
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (!this.#isCut) other.end();
      });
    }
    this.#fresh.add(client);
    client.on('close', () => this.#fresh.delete(client));
    client.on('data', (bytes) => {
      connection.fromClient = Buffer.concat([connection.fromClient, bytes]);
      this.#passMessages(connection, server);
    });
    server.on('data', (bytes) => {
      if (!this.#isCut && !connection.finishing) client.write(bytes);
      else if (connection.finishing) this.#awaitReady(connection, bytes);
    });
  }

  #passMessages(connection, server) {
    for (let message = nextMessage(connection); message; message = nextMessage(connection)) {
      if (this.#isCut) return;
      if (this.#left === 0) return this.#cut();
      server.write(message);
      if (this.#left === Infinity) continue;
      const type = String.fromCharCode(message[0]);
      this.passed += type;
      if (!this.#counted.test(type) || --this.#left > 0) continue;
      if (message[0] !== SYNC && message[0] !== QUERY) return this.#cut();
      connection.finishing = true;
      this.#isCut = true;
    }
  }

  #awaitReady(connection, bytes) {
    connection.fromServer = Buffer.concat([connection.fromServer, bytes]);
    for (let at = 0; at + 5 <= connection.fromServer.length; at += 1 + connection.fromServer.readInt32BE(at + 1))
      if (connection.fromServer[at] === READY) this.#cut();
  }

  #cut() {
    this.#isCut = true;
    this.#onCut();
  }
}

/** The next complete message; the first one of a connection has no type. */
function nextMessage(connection) {
  const { fromClient, greeted } = connection;
  const head = greeted ? 1 : 0;
  if (fromClient.length < head + 4) return null;
  const length = head + fromClient.readInt32BE(head);
  if (fromClient.length < length) return null;
  connection.greeted = true;
  connection.fromClient = fromClient.subarray(length);
  return fromClient.subarray(0, length);
}
