// The SPDX 2.3 document of a binary: the Debian packages that are linked into it, those whose shared libraries it loads,
// and the npm packages of the console.
//   node image/sbom.mjs BINARY SECONDS >agentbox.spdx.json
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [binary, seconds] = process.argv.slice(2);
const repository = join(dirname(fileURLToPath(import.meta.url)), "..");
const run = (program, ...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const facts = JSON.parse(run(binary, "version", "--json"));
const architecture = run("dpkg", "--print-architecture").trim();

const debian = (name, version) => ({
  name,
  version,
  purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`,
  supplier: "Organization: Debian",
});

// Packages of the shared libraries that the loader finds.
const loaded = () => {
  const files = [...run("ldd", binary).matchAll(/(\/[^ )]+)/g)].map(([path]) => path);
  const owners = files.flatMap((file) => {
    for (const path of [file, file.replace(/^\/usr/, ""), `/usr${file}`])
      try {
        return [run("dpkg-query", "-S", path).split(":")[0]];
      } catch {
        continue; // the other spelling of /lib
      }
    return [];
  });
  return [...new Set(owners)].sort().map((name) => debian(name, run("dpkg-query", "-W", "-f", "${Version}", name)));
};

// What the bundler can have put into the console: not the tools that check and bundle it.
const console_packages = () => {
  const { packages } = JSON.parse(readFileSync(join(repository, "web/console/package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path && !dev && !optional && !path.includes("node_modules/@types/"))
    .map(([path, { version, license }]) => {
      const name = path.replace(/^.*node_modules\//, "");
      return { name, version, license, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
    });
};

const kinds = [
  ["STATIC_LINK", Object.entries(facts.builtFrom).map(([name, version]) => debian(name, version))],
  ["DYNAMIC_LINK", loaded()],
  ["CONTAINS", console_packages()],
];
const id = (kind, name, version) =>
  `SPDXRef-${kind.toLowerCase().replace("_", "-")}-${`${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, "-")}`;
const SELF = "SPDXRef-agentbox";
const spdx = {
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: `agentbox-${facts.version}`,
  documentNamespace: `urn:agentbox:${facts.version}:${createHash("sha256").update(readFileSync(binary)).digest("hex")}`,
  creationInfo: {
    created: new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z"),
    creators: ["Tool: agentbox image/sbom.mjs"],
  },
  packages: [
    {
      SPDXID: SELF,
      name: "agentbox",
      versionInfo: facts.version,
      downloadLocation: "NOASSERTION",
      filesAnalyzed: false,
      licenseConcluded: "Apache-2.0",
      licenseDeclared: "Apache-2.0",
      copyrightText: "NOASSERTION",
      comment: `commit ${facts.commit ?? "unknown"}, ${facts.compiler}, ${facts.flags}`,
    },
    ...kinds.flatMap(([kind, packages]) =>
      packages.map(({ name, version, license = "NOASSERTION", purl, supplier }) => ({
        SPDXID: id(kind, name, version),
        name,
        versionInfo: version,
        downloadLocation: "NOASSERTION",
        filesAnalyzed: false,
        licenseConcluded: "NOASSERTION",
        licenseDeclared: license,
        copyrightText: "NOASSERTION",
        ...(supplier && { supplier }),
        externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
      })),
    ),
  ],
  relationships: [
    { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: SELF },
    ...kinds.flatMap(([kind, packages]) =>
      packages.map(({ name, version }) => ({ spdxElementId: SELF, relationshipType: kind, relatedSpdxElement: id(kind, name, version) })),
    ),
  ],
};
console.log(JSON.stringify(spdx, null, 1));
