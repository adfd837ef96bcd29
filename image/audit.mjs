// Compares the Debian packages of an SPDX document (image/sbom.mjs) with Debian's security tracker, and prints what is
// known against the versions that are linked or loaded. If the tracker cannot be reached, prints the packages instead.
//   node image/audit.mjs FILE.spdx.json [TRACKER]     TRACKER: the address or a file of the tracker's JSON
// Ends with 1 if a newer package of this Debian release has a fix.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const RELEASE = "bookworm";
const [document, tracker = "https://security-tracker.debian.org/tracker/data/json"] = process.argv.slice(2);

const packages = JSON.parse(readFileSync(document, "utf8"))
  .packages.filter(({ externalRefs = [] }) => externalRefs.some(({ referenceLocator }) => referenceLocator.startsWith("pkg:deb/")))
  .map(({ name, versionInfo }) => ({ name, version: versionInfo }));

// The tracker knows source packages.
const source_of = (name) => {
  try {
    return execFileSync("dpkg-query", ["-W", "-f", "${source:Package}", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return name; // not installed on this machine
  }
};

const read_tracker = async () => {
  if (!/^https?:/.test(tracker)) return JSON.parse(readFileSync(tracker, "utf8"));
  const answer = await fetch(tracker, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
};

const is_older = (version, than) => spawnSync("dpkg", ["--compare-versions", version, "lt", than]).status === 0;

// Of one package. `fixed` is the version with the fix, if this release has one.
const findings = ({ name, version }, known) =>
  Object.entries(known[source_of(name)] ?? {}).flatMap(([id, { releases }]) => {
    const here = releases?.[RELEASE];
    if (!here || here.status === "undetermined") return [];
    if (here.status === "open") return [{ name, version, id, urgency: here.urgency }];
    return is_older(version, here.fixed_version) ? [{ name, version, id, urgency: here.urgency, fixed: here.fixed_version }] : [];
  });

let known;
try {
  known = await read_tracker();
} catch (error) {
  console.log(`audit: the security tracker cannot be read (${error.cause?.message ?? error.message}); these packages were not compared:`);
  for (const { name, version } of packages) console.log(`  ${name} ${version}`);
  process.exit(0);
}
const found = packages.flatMap((one) => findings(one, known));
for (const { name, version, id, urgency, fixed } of found)
  console.log(`${id}  ${name} ${version}: ${fixed ? `fixed in ${fixed}` : `open, ${urgency}`}`);
const fixable = found.filter(({ fixed }) => fixed).length;
console.log(`audit: ${packages.length} packages, ${found.length} known vulnerabilities, ${fixable} fixed in a newer package`);
process.exit(fixable > 0 ? 1 : 0);
