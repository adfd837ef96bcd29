// A git server over ssh: Debian's sshd, one process a connection, for whoever has the right key.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";

// A new key pair: {file, private, public}. The format is one of ssh-keygen's -m.
export const ssh_key = (folder, name, type = "ed25519", format = "RFC4716") => {
  const file = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", type, "-m", format, "-N", "", "-C", name, "-f", file]);
  return { file, private: readFileSync(file, "utf8"), public: readFileSync(`${file}.pub`, "utf8") };
};

const fingerprint = (file) => execFileSync("ssh-keygen", ["-l", "-f", `${file}.pub`], { encoding: "utf8" }).split(" ")[1];

// Serves what the user who runs the tests may reach to whoever holds the private half of one of `guests`.
export const ssh_server = async (t, folder, guests, { host_key_type = "ed25519" } = {}) => {
  mkdirSync(folder, { recursive: true });
  const host = ssh_key(folder, "host_key", host_key_type);
  writeFileSync(
    join(folder, "authorized_keys"),
    [guests]
      .flat()
      .map((guest) => guest.public)
      .join(""),
  );
  writeFileSync(
    join(folder, "config"),
    `HostKey ${host.file}
AuthorizedKeysFile ${join(folder, "authorized_keys")}
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PidFile none
`,
  );
  if (process.getuid() === 0) mkdirSync("/run/sshd", { recursive: true });
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    spawn("/usr/sbin/sshd", ["-i", "-e", "-f", join(folder, "config")], { stdio: [socket, socket, "ignore"] });
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address();
  return { origin: `ssh://127.0.0.1:${port}`, port, user: userInfo().username, fingerprint: fingerprint(host.file), folder };
};
