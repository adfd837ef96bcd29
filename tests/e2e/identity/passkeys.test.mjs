// Passkeys, with the authenticator of a real browser: at the console, and as seen by who would get around them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, PASSWORD } from "../support/box.mjs";
import { open_browser, Person } from "../console/browser.mjs";

// A box by its name, a customer of it at the browser, and the authenticator of that browser.
const story_of = async (t, { env = {}, email = "ada@example.org", password = PASSWORD } = {}) => {
  const browser = await open_browser(t);
  const box = await Box.start(t, env);
  if (email !== ADMIN.email) await box.customer(email);
  const named = { ...box, web: box.web.replace("127.0.0.1", "localhost") };
  const person = await Person.at(browser, named);
  person.expected = ["status of 401"];
  t.after(() => person.check());
  const devtools = await person.context.newCDPSession(person.page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasUserVerification: true, isUserVerified: true },
  });
  const authenticator = (what, parameters = {}) => devtools.send(`WebAuthn.${what}`, { authenticatorId, ...parameters });
  await person.sign_in(email, password);
  return { box, person, authenticator };
};

const open_settings = async (person) => {
  await person.page.goto("/settings");
  await person.heading("Second factor").waitFor();
};

// Adds a passkey at the settings page; resolves with the recovery codes it came with.
const add_passkey = async (person, name, password = PASSWORD) => {
  await person.button("Add a passkey").click();
  await person.label("Name").fill(name);
  await person.label("Current password").fill(password);
  await person.button("Continue").click();
  await person.heading("Your recovery codes").waitFor();
  const codes = (await person.dialog.locator("pre").innerText()).split("\n");
  await person.button("I have kept them").click();
  await person.page.getByRole("listitem").filter({ hasText: name }).waitFor();
  return codes;
};

const sign_out = async (person) => {
  await person.sign_out();
  await person.link("Sign in").first().waitFor();
};

test("someone adds a passkey, signs in with it, names it anew, and removes it", async (t) => {
  const { box, person } = await story_of(t);
  await person.heading("Home").waitFor();
  await open_settings(person);
  const codes = await add_passkey(person, "laptop");
  assert.equal(new Set(codes).size, 10);
  await sign_out(person);

  await person.sign_in("ada@example.org");
  await person.button("Use a passkey").click();
  await person.heading("Home").waitFor();

  await open_settings(person);
  await person.text("10 are left.").waitFor();
  await person.button("Rename laptop").click();
  await person.label("Name").fill("old laptop");
  await person.button("Rename").click();
  await person.text("old laptop").first().waitFor();

  await person.in_menu("More about old laptop", "Remove");
  await person.button("Remove").click();
  await person.button("Use a passkey").click();
  await person.dialog.waitFor({ state: "detached" });
  await person.button("Rename old laptop").waitFor({ state: "detached" });
  await sign_out(person);
  await person.enter("ada@example.org");
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000&after=0");
  const acts = entries.filter((entry) => entry.act.startsWith("second factor")).map(({ act, subject, outcome }) => [act, subject, outcome]);
  assert.deepEqual(acts, [
    ["second factor set up", "passkey laptop", "ok"],
    ["second factor removed", "passkey old laptop", "ok"],
  ]);
});

test("a recovery code stands in for the passkey, and a second passkey needs the first", async (t) => {
  const { person } = await story_of(t);
  await person.heading("Home").waitFor();
  await open_settings(person);
  const codes = await add_passkey(person, "laptop");
  await sign_out(person);
  await person.sign_in("ada@example.org");
  await person.label("Code").fill("000000");
  await person.button("Continue").click();
  await person.alert.getByText("The code is wrong").waitFor();
  await person.label("Code").fill(codes[3]);
  await person.button("Continue").click();
  await person.heading("Home").waitFor();

  await open_settings(person);
  await person.button("Add a passkey").click();
  await person.label("Name").fill("phone");
  await person.label("Current password").fill(PASSWORD);
  await person.button("Continue").click();
  await person.button("Use a passkey").click();
  await person.alert.getByText("holds a passkey of this account already").waitFor();
});

// What the page sends to sign in by passkey, caught on its way.
const caught_sign_in = async (person) => {
  let body;
  await person.page.route("**/api/auth/login", async (route) => {
    const sent = route.request().postDataJSON();
    if (!sent.passkey) return route.continue();
    body = sent;
    return route.abort();
  });
  await person.sign_in("ada@example.org");
  await person.button("Use a passkey").click();
  await person.alert.waitFor();
  await person.page.unroute("**/api/auth/login");
  return body;
};

test("an assertion counts once, for the account it was made for, with its password", async (t) => {
  const { box, person } = await story_of(t);
  person.expected.push("ERR_FAILED");
  await person.heading("Home").waitFor();
  await open_settings(person);
  await add_passkey(person, "laptop");
  await sign_out(person);
  const eve = await box.customer("eve@example.org");
  const caught = await caught_sign_in(person);
  const present = (body) => box.person().call("POST", "/api/auth/login", body);

  assert.equal((await present({ ...caught, password: "a wrong password" })).status, 401);
  const edited = (change) => {
    const copy = structuredClone(caught);
    change(copy.passkey.response, copy.passkey);
    return copy;
  };
  const json = (text) => Buffer.from(JSON.stringify(text)).toString("base64url");
  const client_data = JSON.parse(Buffer.from(caught.passkey.response.clientDataJSON, "base64url"));
  for (const [what, wrong] of Object.entries({
    "another page": edited((response) => (response.clientDataJSON = json({ ...client_data, origin: "https://evil.example" }))),
    "another challenge": edited((response) => (response.clientDataJSON = json({ ...client_data, challenge: "AAAA" }))),
    "an empty signature": edited((response) => (response.signature = "AA")),
    "another passkey": edited((_, passkey) => (passkey.id = "AAAA")),
    "no base64": edited((response) => (response.authenticatorData = "??")),
  })) {
    const answer = await present(wrong);
    assert.equal(answer.status, 401, `${what}: ${JSON.stringify(answer.body)}`);
    assert.match(answer.body.error, /^The passkey was refused: /);
    assert.equal(answer.headers.getSetCookie().length, 0);
  }
  const together = await Promise.all([present(caught), present(caught), present(caught)]);
  assert.deepEqual(together.map((answer) => answer.status).sort(), [200, 401, 401]);
  await box.end("SIGKILL");
  await box.serve();
  assert.match((await present(caught)).body.error, /a challenge that was used already/);
  assert.equal((await eve.call("GET", "/api/settings/second-factor/passkeys")).body.count, 0);
});

test("a copy of a passkey is noticed by its counter", async (t) => {
  const { person, authenticator } = await story_of(t);
  await person.heading("Home").waitFor();
  await open_settings(person);
  await add_passkey(person, "laptop");
  await sign_out(person);
  const [made] = (await authenticator("getCredentials")).credentials;
  await person.sign_in("ada@example.org");
  await person.button("Use a passkey").click();
  await person.heading("Home").waitFor();
  await sign_out(person);

  await authenticator("removeCredential", { credentialId: made.credentialId });
  await authenticator("addCredential", { credential: { ...made, signCount: 0 } });
  await person.sign_in("ada@example.org");
  await person.button("Use a passkey").click();
  await person.alert.getByText("there may be a copy of this passkey").waitFor();
});

test("an administrator who needs a second factor is led to set one up and then continues", async (t) => {
  const { person } = await story_of(t, { env: { ADMIN_SECOND_FACTOR: "on" }, ...ADMIN });
  person.expected.push("status of 403");
  await person.page.waitForURL("**/settings");
  await person.text("This box requires a second factor").first().waitFor();
  await add_passkey(person, "admin's laptop", ADMIN.password);
  await person.heading("Where you are signed in").waitFor();
  await person.to_section("Home");
  await person.heading("Home").waitFor();
});

test("a box addressed by IP explains what passkeys need", async (t) => {
  const box = await Box.start(t, { BASE_URL: "http://192.0.2.7:3000" });
  const ada = await box.customer("ada@example.org");
  const answer = await ada.call("POST", "/api/settings/second-factor/passkeys/begin", { currentPassword: PASSWORD });
  assert.deepEqual([answer.status, /BASE_URL/.test(answer.body.error)], [503, true]);
});
