// Pushing to hosts that want to know who comes: ssh with a key, https with a token, and what is told when it fails.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Box, INTERNAL_KEY, run } from "../support/box.mjs";
import { git, git_server } from "../peers/git_server.mjs";
import { agent_processes, command_line, environment, own_processes } from "../support/processes.mjs";
import { ssh_key, ssh_server } from "../peers/ssh_server.mjs";

// A folder for one story, gone at its end.
const scratch_folder = (t) => {
  const folder = mkdtempSync(join(tmpdir(), "explorer-ssh-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

// A project with one commit, whose remote is an empty repository beside it.
const project_in = (scratch) => {
  const root = join(scratch, "project"),
    bare = join(scratch, "project.git");
  for (const folder of [root, bare]) mkdirSync(folder);
  git(root, "init", "-q");
  writeFileSync(join(root, "README.md"), "# Project\n");
  git(root, "add", "-A");
  git(root, "commit", "-q", "-m", "First");
  git(bare, "init", "-q", "--bare");
  git(bare, "config", "http.receivepack", "true");
  git(root, "remote", "add", "origin", bare);
  return { root, bare };
};

// What the box's administrator types; resolves with what is printed.
const admin = async (box, ...args) => {
  const { code, out, err } = await run(["admin", "git-hosts", ...args, "--data", box.folder], { env: { INTERNAL_API_KEY: INTERNAL_KEY } });
  return { code, text: out + err };
};

// Changes a file and syncs to `url`; resolves with the answer's message and whether it was pushed.
let round = 0;
const sync_to = async (box, root, url) => {
  git(root, "remote", "set-url", "origin", url);
  writeFileSync(join(root, "README.md"), `round ${++round}\n`);
  const body = await box.backend_call("POST", "/api/browse/git-sync", {});
  assert.equal(body.committed, true, JSON.stringify(body));
  assert.equal(git(root, "rev-parse", "HEAD").trim(), body.hash, "the commit stands, whatever became of the push");
  return body;
};

const files_in = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

test("a project goes to an ssh host once the box has a key and knows the host", async (t) => {
  const scratch = scratch_folder(t),
    { root, bare } = project_in(scratch);
  const key = ssh_key(scratch, "box_key"),
    server = await ssh_server(t, join(scratch, "sshd"), key);
  const box = await Box.start(t, { BROWSE_ROOT: root });
  const url = `ssh://${server.user}@127.0.0.1:${server.port}${bare}`,
    account = `ssh://${server.user}@127.0.0.1:${server.port}`;

  const stranger = await sync_to(box, root, url);
  assert.equal(stranger.pushed, false);
  assert.match(stranger.message, new RegExp(`no key for ${server.origin}.*git-hosts set`));

  const refused = await admin(box, "set", account);
  assert.deepEqual([refused.code, /secret is required/.test(refused.text)], [2, true], refused.text);
  assert.equal((await admin(box, "set", account, "--secret", key.file)).code, 0);
  const unknown = await sync_to(box, root, url);
  assert.equal(unknown.pushed, false);
  assert.ok(unknown.message.includes(server.fingerprint), unknown.message);
  assert.match(unknown.message, /does not know the host key of 127\.0\.0\.1.*ssh-ed25519.*--host-key SHA256:/);
  assert.equal(git(bare, "for-each-ref"), "", "nothing was sent to who is not known");

  assert.equal((await admin(box, "set", account, "--host-key", server.fingerprint)).code, 0);
  const pushed = await sync_to(box, root, url);
  assert.deepEqual([pushed.pushed, git(bare, "rev-parse", "main").trim()], [true, pushed.hash], pushed.message);
  git(bare, "fsck", "--strict");
  assert.equal((await sync_to(box, root, `ssh://somebody@127.0.0.1:${server.port}${bare}`)).pushed, true, "the box comes as who it is");

  const listed = await admin(box, "list");
  assert.ok(listed.text.includes(server.origin) && listed.text.includes(server.fingerprint), listed.text);
  const body = key.private.split("\n")[2];
  const shown =
    JSON.stringify(await box.backend_call("GET", "/api/admin/git-hosts")) +
    JSON.stringify(await box.backend_call("GET", "/api/admin/audit"));
  for (const text of [listed.text, shown, box.whole_log, pushed.message]) assert.ok(!text.includes(body), "the key is shown to nobody");
  for (const { pid } of own_processes(box))
    assert.ok(!(command_line(pid) + environment(pid)).includes(body), "nor to whoever looks at processes");
  for (const file of files_in(box.folder)) assert.ok(!readFileSync(file).includes(body), `nor does it lie in ${file}`);

  assert.equal(await box.end("SIGTERM"), 0, box.log);
  await box.serve();
  assert.equal((await sync_to(box, root, url)).pushed, true, "a box that comes back still has it");
  assert.equal((await admin(box, "forget", server.origin)).code, 0);
  assert.match((await sync_to(box, root, url)).message, /no key for/);
  assert.notEqual((await admin(box, "forget", server.origin)).code, 0);
});

test("a key of any kind that ssh-keygen makes opens an ssh host, also one with an RSA key alone", async (t) => {
  const scratch = scratch_folder(t),
    { root, bare } = project_in(scratch);
  const keys = [["ed25519"], ["ecdsa"], ["ecdsa", "PEM"], ["rsa"], ["rsa", "PEM"], ["rsa", "PKCS8"]].map(([type, format]) =>
    ssh_key(scratch, `${type}_${format ?? "openssh"}`, type, format),
  );
  const server = await ssh_server(t, join(scratch, "sshd"), keys, { host_key_type: "rsa" });
  const box = await Box.start(t, { BROWSE_ROOT: root });
  const account = `ssh://${server.user}@127.0.0.1:${server.port}`;
  for (const key of keys) {
    const set = await admin(box, "set", account, "--secret", key.file, "--host-key", server.fingerprint);
    assert.equal(set.code, 0, set.text);
    const pushed = await sync_to(box, root, `${account}${bare}`);
    assert.equal(pushed.pushed, true, `${key.file}: ${pushed.message}`);
  }
});

test("a project of many megabytes gets through ssh whole", async (t) => {
  const scratch = scratch_folder(t),
    { root, bare } = project_in(scratch);
  const key = ssh_key(scratch, "box_key"),
    server = await ssh_server(t, join(scratch, "sshd"), key);
  const box = await Box.start(t, { BROWSE_ROOT: root });
  const account = `ssh://${server.user}@127.0.0.1:${server.port}`;
  await admin(box, "set", account, "--secret", key.file, "--host-key", server.fingerprint);
  writeFileSync(join(root, "film.mp4"), randomBytes(20 << 20));
  const pushed = await sync_to(box, root, `${account}${bare}`);
  assert.equal(pushed.pushed, true, pushed.message);
  git(bare, "fsck", "--strict");
});

test("an ssh host with another fingerprint, without this key or without the repository is an error that says so", async (t) => {
  const scratch = scratch_folder(t),
    { root, bare } = project_in(scratch);
  const key = ssh_key(scratch, "box_key"),
    other = ssh_key(scratch, "other_key", "ecdsa");
  const server = await ssh_server(t, join(scratch, "sshd"), key);
  const box = await Box.start(t, { BROWSE_ROOT: root, GIT_REMOTE_TIMEOUT: "10" });
  const account = `ssh://${server.user}@127.0.0.1:${server.port}`,
    url = `${account}${bare}`;
  const set = (...args) => admin(box, "set", account, ...args);

  await set("--secret", key.file, "--host-key", `SHA256:${"A".repeat(43)}`);
  const impostor = await sync_to(box, root, url);
  assert.match(impostor.message, /none of those the box knows it by: the connection may be intercepted/);
  await set("--host-key", `SHA256:${"A".repeat(43)}`, "--host-key", server.fingerprint, "--secret", other.file);
  assert.match((await sync_to(box, root, url)).message, /refused the credentials/);
  await set("--secret", key.file);
  assert.match((await sync_to(box, root, `${url}-of-nobody`)).message, /The remote said: .*project\.git-of-nobody/);
  assert.equal(git(bare, "for-each-ref"), "");
  const proof = join(scratch, "proof");
  for (const path of [`/x'; touch ${proof}; '`, `/x\`touch ${proof}\``, `/$(touch ${proof})`, "/x\\'"])
    assert.match((await sync_to(box, root, account + encodeURI(path))).message, /The remote said/, path);
  assert.equal(existsSync(proof), false, "the other end's shell takes a path for one word");
  assert.equal((await sync_to(box, root, url)).pushed, true);

  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "a passphrase", "-f", join(scratch, "locked")]);
  writeFileSync(join(scratch, "password"), "hunter2\n");
  writeFileSync(join(scratch, "cut"), key.private.split("\n").toSpliced(3, 1).join("\n"));
  for (const [args, sentence] of [
    [["--secret", join(scratch, "locked")], /without a passphrase/],
    [["--secret", join(scratch, "password")], /must be a private key/],
    [["--secret", join(scratch, "cut")], /must be a whole private key/],
    [["--secret", `${key.file}.pub`], /must be a private key/],
    [["--host-key", "MD5:ab"], /fingerprints/],
    [["--secret", join(scratch, "absent")], /cannot read/],
  ]) {
    const answer = await set(...args);
    assert.deepEqual([answer.code, sentence.test(answer.text)], [2, true], answer.text);
  }
  for (const wrong of [
    "git@127.0.0.1",
    "ssh://127.0.0.1",
    "ssh://a:b@127.0.0.1",
    "ssh://a@127.0.0.1/path",
    "ftp://a@b",
    "ssh://-oProxy@host",
    "https://",
  ])
    assert.equal((await admin(box, "set", wrong, "--secret", key.file)).code, 2, wrong);
});

test("an agent's workspace is pushed by the box, which alone has the key", async (t) => {
  const scratch = scratch_folder(t),
    { bare } = project_in(scratch);
  const key = ssh_key(scratch, "box_key"),
    server = await ssh_server(t, join(scratch, "sshd"), key);
  const box = await Box.start(t);
  const ada = await box.customer("ada@example.org");
  const id = await box.running_agent(ada),
    workspace = join(box.folder, "agents", id, "workspace");
  const account = `ssh://${server.user}@127.0.0.1:${server.port}`;
  // As the agent itself would: what it owns stays its own.
  const git_as_agent = (...args) => {
    git(workspace, ...args);
    const { uid, gid } = statSync(workspace);
    chownSync(join(workspace, ".git", "config"), uid, gid);
  };
  git_as_agent("remote", "add", "origin", `${account}${bare}`);
  const sync = async () => {
    await box.backend_call("POST", `/api/browse/write?agent=${id}`, { path: "notes.md", content: `round ${++round}` });
    const body = await box.backend_call("POST", `/api/browse/git-sync?agent=${id}`, {});
    assert.equal(body.committed, true, JSON.stringify(body));
    return body;
  };
  assert.match((await sync()).message, /no key for/);
  await admin(box, "set", account, "--secret", key.file, "--host-key", server.fingerprint);
  const synced = await sync();
  assert.equal(synced.pushed, true, synced.message);
  assert.equal(git(bare, "rev-parse", "main").trim(), synced.hash);
  const secret = key.private.split("\n")[2];
  for (const { pid } of agent_processes(box)) assert.ok(!(command_line(pid) + environment(pid)).includes(secret));
  for (const file of files_in(join(box.folder, "agents"))) assert.ok(!readFileSync(file).includes(secret), file);
  git_as_agent("remote", "set-url", "origin", `ssh://127.0.0.1:1${bare}`);
  assert.match((await sync()).message, /no key for/, "and is led nowhere else");
});

test("an https host is believed for its certificate and gets the token; another one gets neither", async (t) => {
  const scratch = scratch_folder(t),
    { root } = project_in(scratch);
  const good = await git_server(t, scratch, "box", "t0ken/of@https", { tls: join(scratch, "good") });
  const bad = await git_server(t, scratch, "box", "t0ken/of@https", { tls: join(scratch, "bad") });
  const box = await Box.start(t, { BROWSE_ROOT: root, SSL_CERT_FILE: join(scratch, "good", "certificate.pem") });
  writeFileSync(join(scratch, "token"), "t0ken/of@https\n");
  chmodSync(join(scratch, "token"), 0o600);
  assert.match((await sync_to(box, root, `${good.url}/project.git`)).message, /asks for credentials.*git-hosts set/);
  for (const { url } of [good, bad])
    assert.equal((await admin(box, "set", url.replace("://", "://box@"), "--secret", join(scratch, "token"))).code, 0);
  const pushed = await sync_to(box, root, `${good.url}/project.git`);
  assert.equal(pushed.pushed, true, pushed.message);
  assert.equal(git(join(scratch, "project.git"), "rev-parse", "main").trim(), pushed.hash);
  const distrusted = await sync_to(box, root, `${bad.url}/project.git`);
  assert.match(distrusted.message, /certificate of 127\.0\.0\.1 is not valid for it.*must give the host's name/);
  const plain = await sync_to(box, root, `${box.backend.replace("http:", "https:")}/project.git`);
  assert.match(plain.message, /No secure connection to 127\.0\.0\.1 could be made: is it https that it speaks/);
  assert.deepEqual(bad.seen, [], "no request got through, and no token");
  assert.ok(!box.whole_log.includes("t0ken"), "the token is in no log");
});
