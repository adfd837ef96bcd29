// Ports for a box and its agents, from below those that the kernel gives to whoever asks for any (32768 and up, unless
// net.ipv4.ip_local_port_range says otherwise): one of those can be somebody's in the moment between finding it free
// and using it, as every server and every connection of the stories beside takes one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";

const listens = async (port) => {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
};

// The first of `count` ports in a row that nobody listens on, below the ranges that boxes have by themselves.
export async function free_ports(count) {
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * (21_000 - 10_000 - count));
    const ports = Array.from({ length: count }, (_, n) => first + n);
    if ((await Promise.all(ports.map(listens))).every(Boolean)) return first;
  }
}

// What a box has unless its story says otherwise: forty ports for each process of stories.
const own_first = 21_000 + (process.pid % 290) * 40;
export const OWN_PORTS = `${own_first}-${own_first + 39}`;

// Ports for a box's listeners, forty for each process of stories, too: they stay the box's while it is ended and started
// again. Begins above 10080, which no fetch asks.
const listeners_first = 10_120 + (process.pid % 270) * 40;
let given = 0;

export async function listener_ports(count) {
  const ports = [];
  for (let tried = 0; ports.length < count; ++tried) {
    assert.ok(tried < 40, "a port for a listener is free");
    const port = listeners_first + (given++ % 40);
    if (await listens(port)) ports.push(port);
  }
  return ports;
}
