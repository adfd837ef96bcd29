// Every place that can open a connection is known here: it asks web/client/outbound.h first, or it never leaves the machine.
// A new one fails this test until it does either and says so.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");

// What opens connections or resolves names: the kernel's, Asio's, libcurl's, libssh's, libgit2's and libpq's.
const opens = new RegExp(
  [
    "\\basync_connect\\(",
    "::connect\\(",
    "[.>]connect\\(",
    "::socket\\(",
    "::sendto\\(",
    "tcp::resolver",
    "udp::",
    "\\basync_resolve\\(",
    "getaddrinfo",
    "gethostbyname",
    "curl_easy_init",
    "curl_multi_init",
    "ssh_new\\(",
    "ssh_connect\\(",
    "git_remote_(connect|fetch|push|upload|create)",
    "git_clone",
    "git_stream_register",
    "SSL_connect",
    "BIO_new_connect",
    "PQconnectStartParams\\(",
  ].join("|"),
);

const asks = "asks web/client/outbound.h";
const known = {
  "web/client/fetch_transfer.cpp": "with the passage that fetch() was given",
  "web/client/fetch_handles.cpp": "handles of web/client/fetch.cpp",
  "web/client/fetch_loop.cpp": "the loop of web/client/fetch.cpp",
  "appliance/identity/mail/smtp.cpp": asks,
  "appliance/identity/audit/syslog.cpp": asks,
  "appliance/files/explorer/git/connection.cpp": asks,
  "appliance/files/explorer/remotes.cpp": asks,
  "appliance/files/explorer/git/push.cpp": "over git/connection.h, by git/remote_stream.h and git/ssh_session.h",
  "appliance/files/explorer/git/remote_stream.cpp": "over git/connection.h",
  "appliance/files/explorer/git/ssh_session.cpp": "over the descriptor of git/connection.h",
  "appliance/box/cli/doctor/outside.cpp": asks,
  "appliance/box/cli/doctor/listeners.cpp": "resolves an address to listen at",
  "web/client/dial.cpp": asks,
  "sandbox/tree.cpp": "a socket that listens in a network without a way out",
  "web/server/listening_socket.cpp": "resolves an address to listen at",
  "web/server/proxy.cpp": "relays to agents and the summarizer, by address",
  "appliance/runtime/watchdog/loopback.cpp": "loopback only",
  "appliance/runtime/docker/command_containers.cpp": "listens on a Unix socket in an agent's folder",
  "sandbox/spawn_server.cpp": "the Unix socket of the box, mounted into a container without a network",
  "appliance/hosting/agents/provisioning/ports.cpp": "looks for free ports",
  "appliance/box/service_manager.cpp": "the service manager's Unix socket",
  "appliance/box/standby/follower.cpp": asks,
  "appliance/box/standby/connection.cpp": "for box/standby/follower.cpp",
  "store/postgres/connection.cpp": "the server of STORE_URL, about which box/open_store.cpp asks web/client/outbound.h",
  "appliance/box/cli/engine_images.cpp": "the container engine's Unix socket",
};

// Callers of fetch() that reach a part of the box, each over loopback, a Unix socket or with Reach::own.
const inside = [
  "appliance/runtime/docker/docker_api.cpp",
  "appliance/hosting/agents/provisioning/worker.cpp",
  "appliance/hosting/chat/chat.cpp",
  "appliance/hosting/chat/conversations.cpp",
  "appliance/hosting/chat/gateway_model.cpp",
  "appliance/hosting/chat/rewind.cpp",
  "appliance/hosting/memory/memory.cpp",
  "appliance/runtime/watchdog/channel.cpp",
  "appliance/models/administration/local_servers.cpp",
  "appliance/box/cli/box_client.cpp",
  "appliance/box/health/docker_probe.cpp",
  // The process of an agent, which the kernel lets reach the box alone.
  "appliance/agent/",
];

const sources = ["web", "sandbox", "summarizer", "store", "appliance"].flatMap((folder) =>
  readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|h)$/.test(entry.name) && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name).slice(top.length + 1)),
);
const code_of = (path) =>
  readFileSync(join(top, path), "utf8")
    .split("\n")
    .map((line) => line.replace(/\/\/.*/, ""))
    .join("\n");

test("connections are opened in the known places only", () => {
  const found = sources.filter((path) => opens.test(code_of(path))).sort();
  assert.deepEqual(found, Object.keys(known).sort());
  for (const path of found.filter((one) => known[one] === asks)) assert.match(code_of(path), /outbound\(\)\s*\.(admit|check)\(/, path);
});

test("every caller of fetch() says who asks, or stays inside the box", () => {
  const callers = sources.filter((path) => /\bweb::fetch\(/.test(code_of(path)));
  assert.ok(callers.length > 25, `${callers.length} callers`);
  for (const path of callers) {
    if (inside.some((one) => path.startsWith(one))) continue;
    const header = path.replace(/\.cpp$/, ".h");
    const text = code_of(path) + (sources.includes(header) ? code_of(header) : "");
    assert.match(text, /\borigin\b|CallOrigin|Reach::own/, `${path} names no origin`);
  }
});
