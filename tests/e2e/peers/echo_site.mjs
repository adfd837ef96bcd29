// A site that answers what it was sent, credentials included, over http and https: what the credential proxy has to keep
// from commands and MCP servers.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as create_https_server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const HOST = "127.0.0.2"; // of this machine, and not what NO_PROXY names

// A redirect leads to the other one.
export const site_of = async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-site-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=site", "-addext", `subjectAltName=IP:${HOST}`];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", ...subject], {
    stdio: "pipe",
  });
  const seen = [];
  const answer = async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { authorization } = request.headers;
    seen.push({
      method: request.method,
      url: request.url,
      authorization,
      key: request.headers["x-key"],
      bytes: Buffer.concat(parts).length,
    });
    if (request.url.startsWith("/away")) return response.writeHead(302, { location: `http://127.0.0.3:1/?leak=${authorization}` }).end();
    if (request.url.startsWith("/silent")) return;
    if (request.url.startsWith("/ranged") && request.headers.range) {
      const [from, to] = /=(\d+)-(\d+)/.exec(request.headers.range).slice(1).map(Number);
      return response.writeHead(206).end(`you sent ${authorization}`.slice(from, to + 1));
    }
    if (request.url.startsWith("/forms")) {
      const secret = authorization.replace("Bearer ", "");
      const forms = [secret.split("").map((c) => `%${c.charCodeAt(0).toString(16)}`), Buffer.from(secret).toString("hex")];
      return response.end(
        [authorization, JSON.stringify(secret), ...forms.map(String), Buffer.from(`xy${secret}z`).toString("base64")].join(" "),
      );
    }
    if (request.url.startsWith("/big")) return response.end("x".repeat(5_000_000));
    response.writeHead(200, { "content-type": "text/plain", "x-echo": `${authorization}` });
    for (const piece of `you sent ${authorization} and ${request.headers["x-key"]} at ${request.url}`.match(/.{1,7}/gs))
      response.write(piece);
    response.end();
  };
  const listen = async (server) => {
    server.listen(0, HOST);
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return server.address().port;
  };
  const http = await listen(createServer(answer)),
    https = await listen(create_https_server({ key: readFileSync(key), cert: readFileSync(cert) }, answer));
  return { seen, cert, http: `http://${HOST}:${http}`, https: `https://${HOST}:${https}` };
};
