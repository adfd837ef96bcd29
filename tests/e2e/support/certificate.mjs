// A certificate that a box trusts when SSL_CERT_FILE names its file: {key, cert, file}.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const make_certificate = (t, names) => {
  const folder = mkdtempSync(join(tmpdir(), "agentbox-certificate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, file] = ["key.pem", "cert.pem"].map((name) => join(folder, name));
  const alternatives = names.map((name) => `${isIP(name) ? "IP" : "DNS"}:${name}`).join(",");
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=stories"];
  execFileSync("openssl", [...request, "-addext", `subjectAltName=${alternatives}`, "-keyout", key, "-out", file], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(file, "utf8"), file };
};
