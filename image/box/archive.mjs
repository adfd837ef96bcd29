// The images of the box and of its agents, which share their one layer, in the form of `docker save`, which `docker load`
// and `podman load` read; or, with a second layer, the image of agents' commands. The same layers give the same bytes.
//   node image/box/archive.mjs LAYER.tar VERSION COMMIT SECONDS FOLDER [TOOLS.tar]    fills the folder with the archive's files
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [layer, version, commit, seconds, folder, tools] = process.argv.slice(2);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const layers = [layer, tools].filter(Boolean).map((path) => ({ path, digest: sha256(readFileSync(path)) }));
const created = new Date(Number(seconds) * 1000).toISOString();
const SECOND = 1_000_000_000; // the Engine counts nanoseconds

const labels = (title, description) => ({
  "org.opencontainers.image.title": title,
  "org.opencontainers.image.description": description,
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.revision": commit,
  "org.opencontainers.image.licenses": "Apache-2.0",
});

const BOX = {
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
    Interval: 30 * SECOND,
    Timeout: 10 * SECOND,
    StartPeriod: 60 * SECOND,
    Retries: 3,
  },
  Labels: labels("agentbox", "hosts AI agents on one box"),
};

// The box starts it. The label tells the box that it reads its boot file, so that no token need be in its environment.
const AGENT = {
  ExposedPorts: { "18789/tcp": {} },
  Env: ["PATH=/usr/bin"],
  Entrypoint: ["/usr/bin/agentbox", "agent"],
  Healthcheck: {
    Test: ["CMD", "/usr/bin/agentbox", "agent", "--check"],
    Interval: 30 * SECOND,
    Timeout: 5 * SECOND,
    StartPeriod: 20 * SECOND,
    Retries: 5,
  },
  Labels: { ...labels("agentbox agent", "one agent of a box"), "agentbox.boot": "file" },
};

// The box starts it with arguments of its own (appliance/runtime/docker/command_containers.cpp).
const TOOLS = {
  Env: ["PATH=/usr/bin"],
  Entrypoint: ["/usr/bin/agentbox", "spawn"],
  Labels: labels("agentbox agent tools", "where agents of a box run commands"),
};

const written = (config, ...tags) => {
  const text = JSON.stringify({
    architecture: { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch,
    os: "linux",
    created,
    config,
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
    history: layers.map((_, at) => ({ created, created_by: ["image/box/build.sh", "image/box/tools.sh"][at] })),
  });
  const name = `${sha256(text)}.json`;
  writeFileSync(join(folder, name), text);
  return { Config: name, RepoTags: tags, Layers: layers.map(({ digest }) => `${digest}/layer.tar`) };
};
for (const { path, digest } of layers) {
  mkdirSync(join(folder, digest));
  copyFileSync(path, join(folder, digest, "layer.tar"));
}
const images = tools
  ? [written(TOOLS, `agentbox/agent-tools:${version}`, "agentbox/agent-tools:latest")]
  : [written(BOX, `agentbox/agentbox:${version}`), written(AGENT, `agentbox/agent:${version}`, "agentbox/agent:latest")];
writeFileSync(join(folder, "manifest.json"), JSON.stringify(images));
