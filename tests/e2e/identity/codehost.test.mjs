// Signing in with a code host: a stand-in that does what GitHub's published API says, no more and no less.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { add_passkey } from "../support/authenticator.mjs";
import { Box, PASSWORD } from "../support/box.mjs";
import { Browser, session_in } from "../support/browser.mjs";
import { open_browser, Person } from "../console/browser.mjs";
import { serve_site } from "../peers/http_site.mjs";

const CLIENT = { id: "Iv1.box", secret: "code host secret" };

const code_host = async (t, account, emails, env = {}) => {
  const host = { account, emails, codes: new Map(), token: "gho_token" };
  host.site = await serve_site(t, ({ method, url, headers, text }) => {
    if (method === "GET" && url.pathname === "/login/oauth/authorize") {
      const asked = url.searchParams;
      assert.equal(asked.get("client_id"), CLIENT.id);
      if (host.refuses)
        return { status: 302, headers: { location: `${asked.get("redirect_uri")}?error=access_denied&state=${asked.get("state")}` } };
      const code = `code-${host.codes.size}`;
      host.codes.set(code, { challenge: asked.get("code_challenge"), redirect_uri: asked.get("redirect_uri") });
      host.scope = asked.get("scope");
      return { status: 302, headers: { location: `${asked.get("redirect_uri")}?code=${code}&state=${asked.get("state")}` } };
    }
    if (method === "POST" && url.pathname === "/login/oauth/access_token") {
      const form = new URLSearchParams(text);
      const issued = host.codes.get(form.get("code"));
      host.codes.delete(form.get("code"));
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      assert.equal(headers.accept, "application/json", "GitHub answers a form otherwise");
      const is_right =
        issued &&
        issued.challenge === challenge &&
        issued.redirect_uri === form.get("redirect_uri") &&
        form.get("client_id") === CLIENT.id &&
        form.get("client_secret") === CLIENT.secret;
      return {
        json: is_right
          ? { access_token: host.token, scope: "read:user,user:email", token_type: "bearer" }
          : { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." },
      };
    }
    if (!url.pathname.startsWith("/api/")) return undefined;
    if (!headers["user-agent"]) return { status: 403, body: "Request forbidden by administrative rules." };
    if (headers.authorization !== `Bearer ${host.token}`) return { status: 401, json: { message: "Bad credentials" } };
    if (url.pathname === "/api/user") return { json: host.account };
    if (url.pathname === "/api/user/emails") return host.emails ? { json: host.emails } : { status: 404, json: { message: "Not Found" } };
  });
  host.box = await Box.start(t, {
    CODEHOST_CLIENT_ID: CLIENT.id,
    CODEHOST_CLIENT_SECRET: CLIENT.secret,
    CODEHOST_BASE_URL: host.site.url,
    CODEHOST_API_URL: `${host.site.url}/api/`,
    ...env,
  });
  host.sign_in = async (browser = new Browser(), query = "") => {
    const way = await browser.visit(`${host.box.web}/api/auth/codehost${query}`);
    return { browser, way, end: way.at(-1).replace(host.box.web, "") };
  };
  return host;
};
const octocat = { login: "octocat", id: 583231, name: "The Octocat", email: null };
const emails = [
  { email: "other@example.org", primary: false, verified: true, visibility: null },
  { email: "Octocat@example.org", primary: true, verified: true, visibility: "private" },
];

test("without a configured client the browser is redirected with an error", async (t) => {
  const box = await Box.start(t);
  const answer = await new Browser().get(`${box.web}/api/auth/codehost`);
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/login?error=CodehostNotConfigured"]);
});

test("an account of the code host is let in by its number, whatever its name and address become", async (t) => {
  const host = await code_host(t, { ...octocat }, emails);
  const { browser, end } = await host.sign_in();
  assert.equal(end, "/dashboard", host.box.log);
  assert.equal(host.scope, "read:user user:email");
  const user = await session_in(browser, host.box);
  assert.deepEqual([user.email, user.name], ["octocat@example.org", "The Octocat"]);

  Object.assign(host.account, { login: "renamed", name: null });
  host.emails = [{ email: "moved@example.org", primary: true, verified: true }];
  const again = await host.sign_in();
  assert.equal((await session_in(again.browser, host.box)).id, user.id);

  Object.assign(host.account, { login: "octocat", id: 99 });
  const namesake = await host.sign_in();
  assert.notEqual((await session_in(namesake.browser, host.box)).id, user.id, "who takes over a name takes over nothing");
  assert.ok(!host.box.whole_log.includes(host.token) && !host.box.whole_log.includes(CLIENT.secret));
});

test("only a verified primary address links to the account of that address", async (t) => {
  const host = await code_host(t, { ...octocat }, [
    { email: "ada@example.org", primary: true, verified: false },
    { email: "b@example.org", primary: false, verified: true },
  ]);
  const ada = await host.box.customer("ada@example.org");
  assert.equal((await host.sign_in()).end, "/login?error=CodehostNoEmail");
  assert.notEqual((await ada.call("GET", "/api/auth/session")).body.user, null, "nothing happened to the account");
  host.emails[0].verified = true;
  const { browser } = await host.sign_in();
  assert.equal((await session_in(browser, host.box)).id, ada.id);
  assert.equal((await ada.log_in("ada@example.org", PASSWORD)).status, 401, "a password that was never proved to be the owner's ends");
});

test("each failure has its name", async (t) => {
  const host = await code_host(t, { ...octocat }, []);
  assert.equal((await host.sign_in()).end, "/login?error=CodehostNoEmail");
  host.emails = undefined;
  assert.equal((await host.sign_in()).end, "/login?error=CodehostAuthError");
  host.emails = emails;
  host.account = { login: "no id" };
  assert.equal((await host.sign_in()).end, "/login?error=CodehostAuthError");
  host.account = octocat;
  host.refuses = true;
  assert.equal((await host.sign_in()).end, "/login?error=CodehostAuthFailed");
  host.refuses = false;

  const browser = new Browser();
  const out = await browser.get(`${host.box.web}/api/auth/codehost`);
  const back = (await browser.get(out.headers.get("location"))).headers.get("location");
  const end_of = async (who, url) => (await who.visit(url)).at(-1).replace(host.box.web, "");
  assert.equal(await end_of(new Browser(), back), "/login?error=CodehostAuthFailed", "another browser's answer");
  assert.equal(await end_of(browser, back.replace(/code=[^&]*/, "code=guessed")), "/login?error=CodehostTokenFailed");
  assert.equal(await end_of(browser, back), "/login?error=CodehostAuthFailed", "its state was used");
  for (const query of [
    "",
    "?code=",
    "?code=a",
    "?state=b",
    "?code=a&code=b&state=c",
    "?next=https://evil.example",
    "?redirect=//evil.example&code=a&state=b",
  ])
    assert.equal(await end_of(browser, `${host.box.web}/api/auth/codehost/callback${query}`), "/login?error=CodehostAuthFailed", query);
});

test("users with a second factor return to the console, which asks for it", async (t) => {
  const window = await open_browser(t); // closed before the box goes: an open page would miss it, rightly
  const host = await code_host(t, { ...octocat }, emails);
  const { box } = host;
  const { browser } = await host.sign_in();
  const octo = Object.assign(box.person(), { cookie: `app-session=${browser.cookies(box.web).get("app-session")}` });
  const { recoveryCodes } = await add_passkey(box, octo, undefined);
  const halfway = await host.sign_in();
  assert.equal(halfway.end, "/login?second-factor");
  assert.equal(await session_in(halfway.browser, box), null);

  const person = await Person.at(window, box);
  person.expected = ["status of 401"];
  t.after(() => person.check());
  await person.page.goto("/api/auth/codehost");
  await person.label("Code").fill("wrong");
  await person.button("Continue").click();
  await person.text("The code is wrong or was already used.").waitFor();
  await person.label("Code").fill(recoveryCodes[0]);
  await person.button("Continue").click();
  await person.heading("Home").waitFor();

  await person.page.goto("/login?second-factor");
  await person.heading("Home").waitFor();
});

test("where registration is by invitation, the code comes back with the browser", async (t) => {
  const host = await code_host(t, octocat, emails, { REGISTRATION: "invite" });
  assert.equal((await host.sign_in()).end, "/login?error=CodehostNoAccount");
  const { code } = await host.box.backend_call("POST", "/api/invite/generate", {});
  for (const wrong of ["guess", "a;b", "%0d%0aset-cookie:x=y"])
    assert.equal((await host.sign_in(new Browser(), `?inviteCode=${wrong}`)).end, "/login?error=CodehostNoAccount");
  const { browser, end } = await host.sign_in(new Browser(), `?inviteCode=${code}`);
  assert.equal(end, "/dashboard");
  assert.ok(!browser.cookies(new URL(host.box.web).origin).has("agentbox-invite"), "the code does not stay with the browser");
  assert.equal((await host.sign_in()).end, "/dashboard", "known from then on");
});

test("a connected account is listed and disconnected, unless it is the only way to sign in", async (t) => {
  const window = await open_browser(t); // closed before the box goes
  const host = await code_host(t, { ...octocat }, emails);
  const { box } = host;
  const octo = await Person.at(window, box);
  t.after(() => octo.check());
  octo.expected = ["status of 401", "status of 409", "status of 400"]; // 401: requests without the cleared cookie
  await octo.page.goto("/api/auth/codehost");
  await octo.page.waitForURL("**/dashboard*");
  await octo.page.goto("/settings");
  const list = octo.page.getByRole("list", { name: "Connected identities" });
  await list.getByText("583231").waitFor();
  const name = `Code host: ${new URL(host.site.url).host}`;
  await list.getByText(name).waitFor();
  await octo.is_sound();
  await octo.button(`Disconnect ${name}`).click();
  await octo.is_accessible();
  await octo.button("Disconnect").click();
  await octo.alert.getByText("the only way to sign in").waitFor();
  await octo.button("Cancel").click();

  const { id } = await octo.page.evaluate(async () => (await (await fetch("/api/auth/session")).json()).user);
  await box.backend_call("PATCH", `/api/admin/users/${id}`, { password: PASSWORD });
  await octo.context.clearCookies();
  await octo.enter("octocat@example.org");
  await octo.page.goto("/settings");
  await octo.button(`Disconnect ${name}`).click();
  await octo.label("Current password").fill("a wrong password");
  await octo.button("Disconnect").click();
  await octo.alert.getByText("wrong").waitFor();
  await octo.label("Current password").fill(PASSWORD);
  await octo.button("Disconnect").click();
  await octo.text("None. You sign in with your password.").waitFor();
});
