// A program of a foreign image that runs what it is told: POST /run with a command line for its shell, in its own
// environment. It runs inside the container, as a story's programs do that reach the web from there.
import { execFile } from "node:child_process";
import { createServer } from "node:http";

createServer(async (request, response) => {
  const reply = (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url !== "/run") return reply({ ok: true });
  let line = "";
  for await (const part of request) line += part;
  execFile("sh", ["-c", line], { timeout: 30_000 }, (error, out, err) => reply({ code: error ? error.code : 0, out, err }));
}).listen(18789, "0.0.0.0");
console.log("it serves");
process.on("SIGTERM", () => process.exit(0));
