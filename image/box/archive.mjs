// A container image of one layer, in the form of `docker save`, which `docker load` and `podman load` read. The same
// layer gives the same bytes.
//   node image/box/archive.mjs LAYER.tar NAME:TAG VERSION COMMIT SECONDS FOLDER    fills the folder with the archive's files
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [layer, name, version, commit, seconds, folder] = process.argv.slice(2);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const digest = sha256(readFileSync(layer));
const created = new Date(Number(seconds) * 1000).toISOString();
const SECOND = 1_000_000_000; // the Engine counts nanoseconds

const config = JSON.stringify({
  architecture: { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch,
  os: "linux",
  created,
  config: {
    User: "65532:65532",
    ExposedPorts: { "3000/tcp": {} },
    Env: ["PATH=/usr/bin", "AGENTBOX_DATA=/data", "WEB_LISTEN=0.0.0.0:3000", "LOG_FORMAT=json"],
    Entrypoint: ["/usr/bin/agentbox"],
    Cmd: ["serve"],
    Volumes: { "/data": {} },
    WorkingDir: "/data",
    StopSignal: "SIGTERM",
    Healthcheck: {
      Test: ["CMD", "/usr/bin/agentbox", "health"],
      Interval: 30 * SECOND, Timeout: 10 * SECOND, StartPeriod: 60 * SECOND, Retries: 3,
    },
    Labels: {
      "org.opencontainers.image.title": "agentbox",
      "org.opencontainers.image.description": "hosts AI agents on one box",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": commit,
      "org.opencontainers.image.licenses": "Apache-2.0",
    },
  },
  rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  history: [{ created, created_by: "image/box/build.sh" }],
});
const id = sha256(config);
mkdirSync(join(folder, digest));
copyFileSync(layer, join(folder, digest, "layer.tar"));
writeFileSync(join(folder, `${id}.json`), config);
writeFileSync(join(folder, "manifest.json"), JSON.stringify([{ Config: `${id}.json`, RepoTags: [name], Layers: [`${digest}/layer.tar`] }]));
