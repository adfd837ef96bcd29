// The shipped binary: how it is hardened, what it loads, and that nothing of the build machine is in it.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { artifact, binary, dist, folder, run } from "./dist.mjs";

const bytes = readFileSync(binary);
const repository = fileURLToPath(new URL("../..", import.meta.url));

test("it is position independent, with full RELRO and no executable stack", () => {
  assert.match(run("readelf", ["-hW", binary]), /Type: +DYN \(Position-Independent Executable/);
  const dynamic = run("readelf", ["-dW", binary]);
  assert.match(dynamic, /\(FLAGS\).*BIND_NOW/);
  assert.match(dynamic, /\(FLAGS_1\).*NOW.*PIE/);
  assert.doesNotMatch(dynamic, /\((RPATH|RUNPATH|TEXTREL)\)/);
  const segments = run("readelf", ["-lW", binary]);
  assert.match(segments, /GNU_RELRO/);
  assert.match(segments, /GNU_STACK .* RW +0x/);
  assert.doesNotMatch(segments, / RWE /);
});

test("its code is compiled with stack protector, fortified functions, checked containers and control-flow protection", () => {
  const { flags, type } = JSON.parse(run(binary, ["version", "--json"]));
  assert.equal(type, "Release");
  for (const flag of ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-D_GLIBCXX_ASSERTIONS", "-fPIE"])
    assert.ok(flags.includes(flag), flag);
  const symbols = run("readelf", ["--dyn-syms", "-W", binary]);
  assert.match(symbols, /__stack_chk_fail@/);
  assert.match(symbols, /__\w+_chk@GLIBC/);
  // What std::vector::operator[] says of an index beyond its end, in the words of libstdc++.
  assert.ok(bytes.includes("__n < this->size()"), "standard containers are not checked");
  if (process.arch !== "x64") return;
  // The entry point is Debian's; main is the first address that it passes on. Ours begin with endbr64.
  const landings = bytes.toString("latin1").split("\xf3\x0f\x1e\xfa").length - 1;
  assert.ok(landings > 10_000, `${landings} functions begin with endbr64`);
});

test("it loads these shared libraries, and no others", () => {
  const needed = [...run("readelf", ["-dW", binary]).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name).sort();
  const expected = ["libc.so.6", "libcrypto.so.3", "libcurl.so.4", "libgssapi_krb5.so.2", "libidn2.so.0", "libm.so.6", "libssl.so.3"];
  if (process.arch === "x64") expected.push("ld-linux-x86-64.so.2");
  assert.deepEqual(needed, expected.sort());
  const page = readFileSync(join(repository, "docs/install.md"), "utf8");
  for (const name of expected) assert.ok(page.includes(`\`${name}\``), `${name} is not in docs/install.md`);
});

test("nothing in it names the machine that it was built on", () => {
  assert.equal(bytes.indexOf(repository), -1, "a path of the sources");
  assert.equal(bytes.indexOf("/build/release/"), -1, "a path of the build tree");
});

test("the checksums are those of the files", () => {
  const lines = readFileSync(join(dist, "SHA256SUMS"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("  ")[1]);
  assert.ok(lines.includes(basename(binary)));
  run("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: dist });
});

test("signed checksums are verified by the command of docs/install.md, and no others are", (t) => {
  const place = folder(t),
    sums = join(place, "SHA256SUMS"),
    key = join(folder(t), "key");
  copyFileSync(binary, join(place, basename(binary)));
  run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  run(join(repository, "image/checksums.sh"), [place], { env: { ...process.env, AGENTBOX_SIGNING_KEY: key } });
  writeFileSync(join(place, "allowed_signers"), `release@example.org ${readFileSync(`${key}.pub`, "utf8")}`);
  const command = readFileSync(join(repository, "docs/install.md"), "utf8").match(/^ssh-keygen -Y verify .*/m)[0];
  const verify = () => run("sh", ["-c", command], { cwd: place });
  assert.match(verify(), /Good "agentbox-release" signature for release@example\.org/);
  writeFileSync(sums, `${readFileSync(sums, "utf8")} `);
  assert.throws(verify);
});

test("the list of contents names what is linked, loaded and bundled", () => {
  const spdx = JSON.parse(readFileSync(artifact(/\.spdx\.json$/), "utf8"));
  assert.equal(spdx.spdxVersion, "SPDX-2.3");
  const related = (kind) =>
    spdx.relationships
      .filter(({ relationshipType }) => relationshipType === kind)
      .map(({ relatedSpdxElement }) => spdx.packages.find(({ SPDXID }) => SPDXID === relatedSpdxElement));
  const names = (kind) => related(kind).map(({ name }) => name);
  for (const name of ["librocksdb-dev", "libgit2-dev", "libgumbo-dev"]) assert.ok(names("STATIC_LINK").includes(name), name);
  for (const name of ["libc6", "libssl3", "libcurl4"]) assert.ok(names("DYNAMIC_LINK").includes(name), name);
  const { dependencies } = JSON.parse(readFileSync(join(repository, "web/console/package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies))
    assert.ok(
      related("CONTAINS").some((one) => one.name === name && one.versionInfo === version),
      `${name} ${version}`,
    );
  const ids = spdx.packages.map(({ SPDXID }) => SPDXID);
  assert.equal(new Set(ids).size, ids.length);
  for (const one of spdx.packages) assert.ok(one.versionInfo, one.name);
});

test("the packages are small", () => {
  const mebibytes = (path) => statSync(path).size / 2 ** 20;
  assert.ok(mebibytes(artifact(/\.deb$/)) <= 20, "Debian package");
  assert.ok(mebibytes(artifact(/-image\.tar\.gz$/)) <= 60, "container image");
});

test(
  "the same binary gives the same files again",
  { skip: !process.env.AGENTBOX_RELEASED_FROM && "AGENTBOX_RELEASED_FROM names no binary with symbols" },
  async (t) => {
    const { folder } = await import("./dist.mjs");
    const again = folder(t);
    const { AGENTBOX_SIGNING_KEY, ...env } = process.env;
    const SOURCE_DATE_EPOCH = String(statSync(artifact(/-linux-\w+$/)).mtimeMs / 1000); // the release is as old as its commit
    run(join(repository, "image/release.sh"), [process.env.AGENTBOX_RELEASED_FROM, again], { env: { ...env, SOURCE_DATE_EPOCH } });
    assert.equal(
      readFileSync(join(again, "SHA256SUMS"), "utf8"),
      readFileSync(join(dist, "SHA256SUMS"), "utf8").replace(/^.*-vm\..*\n/gm, ""),
    );
  },
);
