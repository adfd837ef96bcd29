// The metrics stay small, whatever is called: histograms are of a listener and a class of status, counters of a row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, send } from "../support/box.mjs";
import { parse_metrics } from "../support/prometheus.mjs";

const MOST = 100 * 1024;

test("/metrics after a call of every route is at most 100 KB", async (t) => {
  const box = await Box.start(t, { RATE_LIMITS: "off" });
  const ada = await box.customer("ada@example.org");
  let rows = 0;
  for (const listener of ["web", "backend"]) {
    const { paths } = (await send(box[listener], "GET", "/api/openapi.json")).body;
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods)) {
        ++rows;
        const headers = { cookie: ada.cookie, ...(listener === "backend" && { authorization: `Bearer ${INTERNAL_KEY}` }) };
        const leaving = new AbortController();
        const body = method === "get" || method === "head" ? undefined : "{";
        // Its head is enough: some rows are streams without an end.
        await fetch(box[listener] + path.replaceAll(/\{[^}]*\}/g, "none"), {
          method: method.toUpperCase(),
          headers: { ...headers, ...(body && { "content-type": "application/json" }) },
          body,
          redirect: "manual",
          signal: leaving.signal,
        });
        leaving.abort();
      }
  }
  assert.ok(rows > 400, `every route of both listeners: ${rows}`);
  const { status, text } = await send(box.backend, "GET", "/metrics", { headers: { authorization: `Bearer ${INTERNAL_KEY}` } });
  assert.equal(status, 200);
  t.diagnostic(`${rows} rows, ${text.length} bytes`);
  assert.ok(parse_metrics(text) !== undefined);
  assert.ok(text.length <= MOST, `${text.length} bytes`);
});
