// What twenty pages look like, in both themes, on a desk and on a phone, compared with the pictures in snapshots/.
//
//   AGENTBOX_SNAPSHOTS=new node --test tests/e2e/console/snapshots.test.mjs    keeps what they look like now
//
// The pictures are Debian's Chromium and fonts. A page that looks different is kept in the system's temporary folder.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADMIN, Box, until } from "../support/box.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";
import { Comparer, SCALE, take } from "./snapshots.mjs";

const kept = join(import.meta.dirname, "snapshots");
const is_new = process.env.AGENTBOX_SNAPSHOTS === "new";
const max_bytes = 3_000_000;
// The share of pixels that may differ: less than one word of a page.
const tolerance = 0.002;
const widths = { desk: { width: 1280, height: 800 }, phone: PHONE };
const themes = ["light", "dark"];

const public_pages = { login: "/login", status: "/status" };
const own_pages = (id) => ({
  home: "/dashboard",
  files: `/agents/${id}/files?path=notes/plan.md`,
  changes: `/agents/${id}/files?view=changes`,
  memory: `/agents/${id}/memory`,
  agent_settings: `/agents/${id}/settings`,
  limits: "/usage/limits",
  keys: "/usage/keys",
  providers: "/usage/providers",
  billing: "/usage/billing",
  playground: "/playground",
  account: "/settings",
  swarms: "/fleet/swarms",
  dead_letters: "/fleet/dead-letters",
  skills: "/skills",
  schedule: `/agents/${id}/schedule`,
});
const admin_pages = { admin_users: "/admin/users", admin_invitations: "/admin/invitations", admin_agents: "/admin/agents" };

const furnished = async (box) => {
  const ada = await box.customer("ada@example.org", "network");
  const id = await box.running_agent(ada, "Scout");
  const did = async (method, path, body) => {
    const answer = await ada.call(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  };
  const files = (row, body) => did("POST", `/api/agents/${id}/files/${row}`, body);
  await files("write", { path: "notes/plan.md", content: "# Plan\n\n- ask for the figures\n- write the summary\n" });
  await files("commit", { message: "plan: begin" });
  await files("write", { path: "notes/plan.md", content: "# Plan\n\n- ask Bob for the figures\n- write the summary\n" });
  await did("POST", "/api/memory", { agentId: id, text: "The summary is due on Friday" });
  await did("POST", "/api/keys", { name: "reporting", budgetUsd: "5.00", scopes: ["models", "usage"] });
  await did("PUT", "/api/caps", { scope: "agent", target: id, period: "month", usd: "10.00" });
  await did("POST", `/api/instance/${id}/stop`);
  await until("the agent to stop", async () => (await ada.call("GET", `/api/agents/${id}`)).body.agent.status === "stopped");
  return id;
};

// It shows what it has asked for.
const is_loaded = async (page) =>
  (await page.getByText("Loading…", { exact: true }).count()) + (await page.locator(".tile-value", { hasText: /^\s*$/ }).count()) === 0;

// Each picture of these pages, with its name.
async function* pictures_of(person, pages) {
  for (const [name, address] of Object.entries(pages)) {
    await person.page.goto(address);
    await person.page.getByRole("heading", { level: 1 }).first().waitFor();
    for (const [width, viewport] of Object.entries(widths))
      for (const theme of themes) {
        await person.page.setViewportSize(viewport);
        await person.page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        await until(`${address} loaded`, () => is_loaded(person.page));
        yield [`${name}_${width}_${theme}`, await take(person.page)];
      }
  }
}

// Other fonts are other pictures.
const font_of = (family) => {
  try {
    return execFileSync("fc-match", ["--format=%{family}", family], { encoding: "utf8" });
  } catch {
    return "none";
  }
};
const fonts = ["system-ui", "monospace"].map(font_of).join(", ");
const skip = fonts === "Noto Sans, DejaVu Sans Mono" ? false : `the pictures are of Noto Sans and DejaVu Sans Mono, not of ${fonts}`;

test("pages look as they did", { skip }, async (t) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, { STATUS_PAGE: "true" });
  const id = await furnished(box);
  const comparer = await Comparer.open(browser);
  if (is_new) rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true });
  const different = [],
    taken = [];
  let unlike; // where the differences are kept
  const compare = async (name, png) => {
    taken.push(`${name}.webp`);
    const file = join(kept, `${name}.webp`);
    if (is_new) writeFileSync(file, await comparer.small(png));
    const share = await comparer.difference(readFileSync(file), png);
    if (share <= tolerance) return;
    unlike ??= mkdtempSync(join(tmpdir(), "console-snapshots-"));
    writeFileSync(join(unlike, `${name}.png`), png);
    different.push(`${name}: ${(100 * share).toFixed(2)} % of its pixels; see ${unlike}`);
  };
  const visit = async (pages, email, password) => {
    const person = await Person.at(browser, box, { deviceScaleFactor: SCALE });
    t.after(() => person.check());
    if (email) await person.enter(email, password);
    for await (const [name, png] of pictures_of(person, pages)) await compare(name, png);
    return person;
  };
  await visit(public_pages);
  const ada = await visit(own_pages(id), "ada@example.org");
  await visit(admin_pages, ADMIN.email, ADMIN.password);
  assert.deepEqual(different, []);
  assert.equal(taken.length, 80);
  assert.deepEqual(readdirSync(kept).sort(), taken.sort(), "snapshots/ has no others");
  const bytes = taken.reduce((sum, name) => sum + statSync(join(kept, name)).size, 0);
  assert.ok(bytes <= max_bytes, `${bytes} bytes of pictures`);

  // A comparison that finds nothing proves nothing.
  await ada.page.goto("/usage/limits");
  await ada.heading("Limits").waitFor();
  await ada.page.setViewportSize(widths.desk);
  await ada.page.emulateMedia({ colorScheme: "light" });
  const reference = readFileSync(join(kept, "limits_desk_light.webp"));
  await ada.page.evaluate(() => (document.querySelector("main").style.paddingBlockStart = "3rem"));
  assert.ok((await comparer.difference(reference, await take(ada.page))) > tolerance, "a page that has moved is noticed");
});
