// A git server over HTTP or HTTPS, with a password: git's own http-backend behind node.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as create_tls_server } from "node:https";
import { join } from "node:path";

// The command line, with no configuration but the repository's own.
export const git = (folder, ...args) =>
  execFileSync(
    "git",
    ["-C", folder, "-c", "user.name=Referee", "-c", "user.email=referee@example.org", "-c", "init.defaultBranch=main", ...args],
    {
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        HOME: "/nonexistent",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
    },
  );

const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");

// A certificate for 127.0.0.1 that is its own authority, in `folder`.
const certificate_in = (folder) => {
  mkdirSync(folder, { recursive: true });
  const key = join(folder, "key.pem"),
    certificate = join(folder, "certificate.pem");
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      key,
      "-out",
      certificate,
      "-days",
      "2",
      "-subj",
      "/CN=127.0.0.1",
      "-addext",
      "subjectAltName=IP:127.0.0.1,DNS:127.0.0.1",
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key), cert: readFileSync(certificate) };
};

// Serves the bare repositories in `folder` to whoever has the password; `seen` lists the Authorization headers. With
// `tls`, a folder, over HTTPS, by a certificate.pem made there.
export const git_server = async (t, folder, user, password, { tls } = {}) => {
  mkdirSync(folder, { recursive: true });
  const expected = `Basic ${btoa(`${user}:${password}`)}`,
    seen = [];
  const answer_request = async (request, response) => {
    seen.push(request.headers.authorization);
    if (request.headers.authorization !== expected) return response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    const url = new URL(request.url, "http://x");
    const child = spawn(backend, {
      stdio: ["pipe", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: url.pathname,
        REMOTE_USER: user,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
    });
    request.pipe(child.stdin);
    const parts = [];
    for await (const part of child.stdout) parts.push(part);
    const answer = Buffer.concat(parts),
      end = answer.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      answer
        .subarray(0, end)
        .toString()
        .split("\r\n")
        .map((line) => line.split(": ")),
    );
    const status = Number.parseInt(headers.Status ?? "200");
    delete headers.Status;
    response.writeHead(status, headers).end(answer.subarray(end + 4));
  };
  const server = tls ? create_tls_server(certificate_in(tls), answer_request) : createServer(answer_request);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${server.address().port}`, seen };
};
