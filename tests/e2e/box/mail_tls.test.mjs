// Mail over the network: encrypted to a server that is known, or not said at all.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, until } from "../support/box.mjs";
import { start_mail_server } from "../peers/mail_server.mjs";

// A certificate for 127.0.0.2 that is its own authority.
const certificate_for = (t) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-story-mail-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const key = join(folder, "key.pem"),
    file = join(folder, "certificate.pem");
  execFileSync(
    "openssl",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      key,
      "-out",
      file,
      "-days",
      "2",
      "-subj",
      "/CN=127.0.0.2",
      "-addext",
      "subjectAltName=IP:127.0.0.2",
    ],
    { stdio: "ignore" },
  );
  return { file, key: readFileSync(key), cert: readFileSync(file) };
};

// A box that sends a mail to Ada by that server.
const box_with_mail = async (t, server, env = {}) => {
  const box = await Box.start(t, { SMTP_URL: server.url, SMTP_FROM: "box@example.org", ...env });
  await box.customer("ada@example.org");
  await box.person().call("POST", "/api/auth/forgot-password", { email: "ada@example.org" });
  return box;
};
const problem_of = (box) =>
  until("a failed attempt", async () => (await box.backend_call("GET", "/api/admin/outbox?limit=10")).mails[0]?.problem);

test("a mail is sent after STARTTLS, to a server whose authority is configured", async (t) => {
  const certificate = certificate_for(t);
  const server = await start_mail_server(t, { certificate });
  const box = await box_with_mail(t, server, { SSL_CERT_FILE: certificate.file });
  const mail = await until("a mail", () => server.mails.find((one) => /\?reset=/.test(one.lines.join("\n")))).catch(async (cause) => {
    throw new Error(`${cause.message}: ${await problem_of(box)}`);
  });
  assert.match(mail.to[0], /ada@example\.org/);
  assert.deepEqual([...new Set(server.said.map((line) => line.split(" ")[0]))], ["EHLO", "STARTTLS"], "nothing else was said in the clear");
});

test("a server that nobody vouches for, and one that does not encrypt, get no mail", async (t) => {
  const certificate = certificate_for(t);
  const unknown = await start_mail_server(t, { certificate });
  assert.match(await problem_of(await box_with_mail(t, unknown)), /certificate/i);
  const plain = await start_mail_server(t, { host: "127.0.0.2" });
  assert.notEqual(await problem_of(await box_with_mail(t, plain)), "");
  for (const server of [unknown, plain]) {
    assert.deepEqual(server.mails, []);
    assert.ok(
      server.said.every((line) => /^(EHLO|STARTTLS|QUIT)/.test(line)),
      server.said.join(),
    );
  }
});
