// Notices on a phone: the page that sets them up, the service worker that shows them, and the shell without a box.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, send, until } from "../support/box.mjs";
import { PushService } from "../peers/push_service.mjs";
import { open_browser, Person, PHONE } from "./browser.mjs";

// The browser's connection to a push service: headless browsers have none.
const stand_in_for_push = (subscription) => {
  const key = "story.subscribed";
  const made = () => ({
    endpoint: subscription.endpoint,
    options: { applicationServerKey: null },
    toJSON: () => subscription,
    unsubscribe: async () => (localStorage.removeItem(key), true),
  });
  PushManager.prototype.getSubscription = async () => (localStorage.getItem(key) ? made() : null);
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (!userVisibleOnly || applicationServerKey.length !== 65) throw new Error("not the key of a sender");
    localStorage.setItem(key, "yes");
    return made();
  };
};

const story_of = async (t) => {
  const service = await PushService.start(t);
  const box = await Box.start(t, { SUMMARIZER_ALLOW_PRIVATE: "on" });
  const person = await box.customer("ada@example.org");
  const { pushKey } = (await person.call("GET", "/api/notifications")).body;
  const phone = service.subscribe(pushKey);
  const ada = await Person.at(await open_browser(t), box, { viewport: PHONE });
  t.after(() => ada.check());
  await ada.context.grantPermissions(["notifications"], { origin: box.web });
  await ada.context.addInitScript(stand_in_for_push, phone.json);
  return { box, person, ada, phone };
};

// The service worker of the page, once it controls it.
const worker_of = async ({ page, context }) => {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
  return context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
};

// Delivers a message as a browser does once its push service has one.
const deliver = async ({ page, context }, box, message) => {
  const session = await context.newCDPSession(page);
  const registered = new Promise((resolve) =>
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => one && resolve(one.registrationId)),
  );
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: box.web,
    registrationId: await registered,
    data: JSON.stringify(message),
  });
  await session.detach();
};

const shown = (page) =>
  page.evaluate(async () => {
    const { getNotifications } = ServiceWorkerRegistration.prototype;
    const list = await getNotifications.call(await navigator.serviceWorker.ready);
    return list.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
  });

test("a phone is added, gets a notice, opens what it is about, and is removed by signing out", async (t) => {
  const { box, person, ada, phone } = await story_of(t);
  const { page } = ada;
  await page.goto("/login");
  await ada.enter("ada@example.org");
  await page.goto("/settings");
  await ada.link("Set up notifications").click();
  await ada.heading("Devices with push").waitFor();
  await ada.is_sound();
  await ada.button("Show notices on this device").click();
  await ada.text("This browser").waitFor();
  const { devices } = (await person.call("GET", "/api/notifications")).body;
  assert.deepEqual([devices.length, /Chrom/.test(devices[0].name)], [1, true], JSON.stringify(devices));
  assert.equal(await ada.button("Show notices on this device").count(), 0);

  await ada.button("Send a test").click();
  await ada.text("Sent by: Push to your devices").waitFor();
  const [message] = await until("the message", () => phone.messages.length > 0 && phone.messages);
  const worker = await worker_of(ada);
  await deliver(ada, box, { ...message, url: "/asks" });
  const [notice] = await until("the notice", async () => {
    const list = await shown(page);
    return list.length > 0 && list;
  });
  assert.deepEqual(notice, {
    title: "agentbox",
    body: "Test\nThis is a test of your notifications. They work.",
    tag: message.tag,
    data: { url: "/asks" },
  });
  await worker.evaluate(async () => {
    const [notification] = await self.registration.getNotifications();
    self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  });
  await ada.heading("Permissions").first().waitFor();
  assert.equal(new URL(page.url()).pathname, "/asks");
  await until("the notice is closed", async () => (await shown(page)).length === 0);

  // Whatever comes is shown, and leads nowhere else.
  await deliver(ada, box, { title: "Elsewhere", url: "https://example.org/steal" });
  await until("the notice", async () => (await shown(page)).length === 1);
  await worker.evaluate(async () => {
    const [notification] = await self.registration.getNotifications();
    self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  });
  await page.waitForURL("**/dashboard");

  await page.goto("/settings/notifications");
  await ada.label("Quiet from").fill("22:00");
  await ada.label("Quiet until").fill("07:00");
  await ada.label("Time zone").fill("Mars/Olympus");
  ada.expected.push("status of 400");
  await ada.button("Save").click();
  await ada.text("this box knows no 'Mars/Olympus'").waitFor();
  await ada.label("Time zone").fill("Europe/Berlin");
  await ada.button("Save").click();
  await ada.text("Saved").first().waitFor();
  await ada.button("Move E-mail up").click();
  const chosen = await until("the order", async () => {
    const { body } = await person.call("GET", "/api/notifications");
    return body.ways[0] === "email" && body;
  });
  assert.deepEqual(
    [chosen.ways, chosen.timeZone, chosen.quietFrom, chosen.quietUntil],
    [["email", "channels", "push"], "Europe/Berlin", "22:00", "07:00"],
  );

  await ada.sign_out();
  await until("the device is gone", async () => (await person.call("GET", "/api/notifications")).body.devices.length === 0);
});

test("without a box the console says so, from files that hold no answers", async (t) => {
  const { box, ada } = await story_of(t);
  const { page } = ada;
  await page.goto("/login");
  await ada.enter("ada@example.org");
  const worker = await worker_of(ada);
  await page.reload();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  const kept = await worker.evaluate(async () => {
    const paths = [];
    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    return paths;
  });
  assert.ok(kept.length > 10, kept.join(" "));
  assert.deepEqual(
    kept.filter((path) => path !== "/" && !path.startsWith("/assets/")),
    [],
    "the page and its files only",
  );
  ada.expected.push(
    "ERR_CONNECTION_REFUSED",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_EMPTY_RESPONSE",
    "ERR_CONNECTION_RESET",
    "status of 50",
  );
  await box.end("SIGTERM");
  await page.goto("/dashboard");
  await ada.heading("The box cannot be reached.").waitFor();
  await ada.is_accessible();
  await box.serve();
  await ada.button("Try again").click();
  await ada.heading("Home").first().waitFor();
});

test("the console is an app: manifest, icons, and a worker that is asked for again each time", async (t) => {
  const box = await Box.start(t);
  const page = (await send(box.web, "GET", "/")).text;
  const manifest = await send(box.web, "GET", /rel="manifest" href="([^"]+)"/.exec(page)[1]);
  assert.equal(manifest.headers["content-type"], "application/manifest+json");
  const { start_url, display, icons } = JSON.parse(manifest.text);
  assert.deepEqual([start_url, display], ["/dashboard", "standalone"]);
  for (const { src, type } of [...icons, { src: /apple-touch-icon" href="([^"]+)"/.exec(page)[1], type: "image/png" }]) {
    const icon = await send(box.web, "GET", src);
    assert.deepEqual([icon.status, icon.headers["content-type"]], [200, type], src);
  }
  const worker = await send(box.web, "GET", "/worker.js");
  assert.deepEqual([worker.status, worker.headers["cache-control"], worker.headers["service-worker-allowed"]], [200, "no-cache", "/"]);
  assert.match(worker.headers["content-security-policy"], /default-src 'none'.*connect-src 'self'/);
  assert.match((await send(box.web, "GET", "/")).headers["content-security-policy"], /script-src 'self'; .*manifest-src 'self';/);
});
