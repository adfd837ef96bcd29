// How many sign-in messages viem verifies a second, on as many workers as there are cores. usage: node verify_wallets.mjs
// FILE SECONDS, beside a node_modules that has viem; FILE as wallet_sign_ins writes it. Prints {"per_second"}.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

if (isMainThread) {
  const [file, seconds] = process.argv.slice(2);
  const rates = await Promise.all(
    Array.from(
      { length: availableParallelism() },
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { file, seconds: Number(seconds) } });
          worker.once("message", resolve).once("error", reject);
        }),
    ),
  );
  console.log(JSON.stringify({ per_second: rates.reduce((sum, rate) => sum + rate, 0) }));
} else {
  const { verifyMessage } = await import("viem");
  const { parseSiweMessage, validateSiweMessage } = await import("viem/siwe");
  const proofs = readFileSync(workerData.file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const verify = async ({ address, message, signature }) => {
    const parsed = parseSiweMessage(message);
    if (!validateSiweMessage({ message: parsed, address, domain: "box.example.org" })) throw new Error("not for the box");
    if (!(await verifyMessage({ address, message, signature }))) throw new Error("not the wallet's");
  };
  for (const proof of proofs.slice(0, 100)) await verify(proof); // so that it is compiled
  const began = performance.now();
  let verified = 0;
  for (; performance.now() - began < workerData.seconds * 1000; ++verified) await verify(proofs[verified % proofs.length]);
  parentPort.postMessage(verified / ((performance.now() - began) / 1000));
}
