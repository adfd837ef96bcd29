// Ports for a box's agents, taken from below those that the kernel gives to whoever asks for any (32768 and up, unless
// net.ipv4.ip_local_port_range says otherwise): one of those can be somebody's in the moment between finding it free
// and using it, as every server and every connection of the stories beside takes one.
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
