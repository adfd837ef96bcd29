// Invite codes: made by the operator, used once each, and what lets people in where registration is by invitation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, INTERNAL_KEY, PASSWORD, run, send } from "../support/box.mjs";
import { open_browser, Person } from "../console/browser.mjs";
import { message_for, new_wallet, present } from "../support/wallet.mjs";

const JSON_TYPE = { "content-type": "application/json" };
const KEY = { authorization: `Bearer ${INTERNAL_KEY}` };
const post = (base, path, body, headers = {}) =>
  send(base, "POST", path, { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
const generate = async (box, body = {}) => {
  const answer = await post(box.backend, "/api/invite/generate", body, KEY);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const register = (box, name, inviteCode) =>
  box.person().call("POST", "/api/register", { email: `${name}@example.org`, password: PASSWORD, ...(inviteCode && { inviteCode }) });

test("codes are made with the internal key, on both listeners", async (t) => {
  const box = await Box.start(t);
  for (const base of [box.web, box.backend]) {
    assert.equal((await post(base, "/api/invite/generate", {})).status, 401);
    assert.equal((await post(base, "/api/invite/generate", {}, { authorization: "Bearer wrong" })).status, 403);
    const { status, body } = await post(
      base,
      "/api/invite/generate",
      { count: 3, uses: 2, expiresInDays: 1, plan: "solo", note: "friends" },
      KEY,
    );
    assert.equal(status, 201);
    assert.deepEqual([body.codes.length, body.code, body.uses, body.plan], [3, body.codes[0], 2, "solo"]);
    assert.ok(new Date(body.expiresAt) - Date.now() <= 86_400_000);
  }
  assert.match((await post(box.web, "/api/invite/generate", { plan: "gold" }, KEY)).body.error, /plan/);
  for (const [field, value] of [
    ["count", 0],
    ["count", 101],
    ["uses", 0],
    ["expiresInDays", -1],
    ["note", 7],
  ])
    assert.match((await post(box.web, "/api/invite/generate", { [field]: value }, KEY)).body.error, new RegExp(field));

  const { invites } = await box.backend_call("GET", "/api/admin/invites");
  assert.equal(invites.length, 6);
  assert.deepEqual([invites[0].uses, invites[0].used, invites[0].plan, invites[0].note], [2, 0, "solo", "friends"]);
  const { code } = await generate(box);
  assert.equal((await box.backend_call("DELETE", `/api/admin/invites/${code.split("-")[0]}`)).success, true);
  assert.equal((await post(box.web, "/api/invite/validate", { code })).status, 404);
  assert.ok(!box.whole_log.includes(code.split("-")[1]));
});

test("the operator makes, lists and revokes codes on the command line", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  const at = { env: { INTERNAL_API_KEY: INTERNAL_KEY, BACKEND_LISTEN: new URL(box.backend).host } };
  const admin = async (...args) => {
    const { code, out, err } = await run(["admin", "invites", ...args, "--data", box.folder], at);
    assert.equal(code, 0, err);
    return out;
  };
  const printed = await admin("create", "--uses", "2", "--days", "1", "--plan", "solo", "--note", "team");
  const [, code, id] = /^((\w{8})-\w{16}) {3}\(shown this once\)$/m.exec(printed);
  assert.equal((await register(box, "ada", code)).status, 200);
  assert.match(await admin("list"), new RegExp(`^${id} +1 of 2 +20\\S+Z +solo +team$`, "m"));
  await admin("revoke", id);
  assert.equal((await register(box, "bob", code)).status, 403);
});

test("where registration is by invitation, a code lets in as many as it has uses, with its plan", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  assert.deepEqual((await box.person().call("GET", "/api/registration")).body, { registration: "invite" });
  const { code } = await generate(box, { uses: 2, plan: "collective" });
  assert.equal((await register(box, "nobody")).status, 403);
  assert.equal((await register(box, "nobody", `${code.slice(0, -1)}!`)).status, 403);
  assert.equal((await register(box, "ada", code)).status, 200);
  assert.equal((await register(box, "ada", code)).status, 409, "a refusal uses nothing up");
  assert.equal((await register(box, "bob", ` ${code.toUpperCase()} `)).status, 200);
  const refused = await register(box, "carol", code);
  assert.deepEqual([refused.status, refused.body.code], [403, "INVITATION_REQUIRED"]);
  for (const name of ["ada", "bob"]) {
    const person = box.person();
    await person.log_in(`${name}@example.org`, PASSWORD);
    assert.equal((await person.call("GET", "/api/settings")).body.plan, "collective", name);
  }
  await box.end("SIGKILL");
  await box.serve();
  assert.equal((await register(box, "carol", code)).status, 403, "used up permanently");
});

test("who registers with a code joins its group, and has its plan or the group's", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  const { id } = await box.backend_call("POST", "/api/admin/groups", { name: "Birds", plan: "solo" });
  const { code: plain, group } = await generate(box, { group: id });
  const { code: with_plan } = await generate(box, { group: id, plan: "collective" });
  assert.equal(group, id);
  const { invites } = await box.backend_call("GET", "/api/admin/invites");
  assert.ok(invites.every((invite) => invite.group === id && invite.groupName === "Birds"));
  for (const [name, code, plan] of [
    ["ada", plain, "solo"],
    ["bob", with_plan, "collective"],
  ]) {
    assert.equal((await register(box, name, code)).status, 200);
    const person = box.person();
    await person.log_in(`${name}@example.org`, PASSWORD);
    assert.equal((await person.call("GET", "/api/settings")).body.plan, plan, name);
    assert.deepEqual((await person.call("GET", "/api/groups")).body.groups, [{ id, name: "Birds" }]);
  }
  const { members } = await box.backend_call("GET", `/api/admin/groups/${id}`);
  assert.deepEqual(
    members.map(({ source }) => source),
    ["invitation", "invitation"],
  );
  const { code: late } = await generate(box, { group: id });
  await box.backend_call("DELETE", `/api/admin/groups/${id}`);
  assert.equal((await register(box, "carol", late)).status, 200, "the group is gone, the invitation stays");
  const refused = await post(box.backend, "/api/invite/generate", { group: id }, KEY);
  assert.equal(refused.status, 400);
  assert.match(refused.body.error, /group/);
});

test("a code counts where anybody may register, too", async (t) => {
  const box = await Box.start(t);
  const { id } = await box.backend_call("POST", "/api/admin/groups", { name: "Birds", plan: "solo" });
  const { code } = await generate(box, { group: id });
  assert.equal((await register(box, "ada", code)).status, 200);
  const ada = box.person();
  await ada.log_in("ada@example.org", PASSWORD);
  assert.equal((await ada.call("GET", "/api/settings")).body.plan, "solo");
  assert.deepEqual((await ada.call("GET", "/api/groups")).body.groups, [{ id, name: "Birds" }]);
  for (const spent of [code, "aaaaaaaa-aaaaaaaaaaaaaaaa"]) {
    const refused = await register(box, "bob", spent);
    assert.deepEqual([refused.status, refused.body.code], [403, "INVITATION_REQUIRED"], "and is not ignored once it is invalid");
  }
  assert.equal((await register(box, "bob")).status, 200, "none is needed");
});

test("a code's plan goes before the default one, which others have", async (t) => {
  const box = await Box.start(t, { DEFAULT_PLAN: "collective" });
  const plan_of = async (name) => (await box.backend_call("GET", `/api/admin/users/${name}@example.org`)).plan;
  for (const [name, plan, got] of [
    ["ada", "network", "network"],
    ["bob", "collective", "collective"],
    ["cy", "none", null],
    ["dan", undefined, "collective"],
  ]) {
    const { code } = await generate(box, { plan });
    assert.equal((await register(box, name, code)).status, 200, name);
    assert.equal(await plan_of(name), got, name);
  }
  assert.equal((await register(box, "eve")).status, 200);
  assert.equal(await plan_of("eve"), "collective");
});

test("one use of a code admits one of a hundred who come at once", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  const { code } = await generate(box);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => register(box, `racer${n}`, code)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map(({ status }) => status)));
  const { code: other } = await generate(box, { uses: 3 });
  const passes = await Promise.all(Array.from({ length: 100 }, () => post(box.web, "/api/invite/validate", { code: other })));
  assert.equal(passes.filter(({ status }) => status === 200).length, 3);
  assert.ok(passes.filter(({ status }) => status !== 200).every(({ status, body }) => status === 404 && body.valid === false));
});

test("validating uses the code up and gives another for one registration", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  const { code } = await generate(box, { plan: "solo" });
  const { status, body } = await post(box.backend, "/api/invite/validate", { code });
  assert.deepEqual([status, body.valid, body.plan], [200, true, "solo"]);
  assert.equal((await post(box.web, "/api/invite/validate", { code })).status, 404);
  assert.equal((await post(box.web, "/api/invite/validate", { code: body.inviteCode })).status, 404, "only for registering");
  assert.equal((await register(box, "ada", code)).status, 403);
  assert.equal((await register(box, "ada", body.inviteCode)).status, 200);
  assert.equal((await register(box, "bob", body.inviteCode)).status, 403);
  assert.match((await post(box.web, "/api/invite/validate", {})).body.error, /code/);
});

test("a wallet brings its invite code along", async (t) => {
  const box = await Box.start(t, { REGISTRATION: "invite" });
  const wallet = new_wallet();
  const enter = async (who, more) => {
    const message = await message_for(box, who.address);
    return present(box.person(), { address: who.address, message, signature: await who.signMessage({ message }), ...more });
  };
  assert.equal((await enter(wallet)).status, 403);
  const { code } = await generate(box);
  assert.equal((await enter(wallet, { inviteCode: code })).status, 200);
  assert.equal((await enter(wallet)).status, 200, "known from then on");
  assert.equal((await enter(new_wallet(), { inviteCode: code })).status, 403);
});

test("the sign-up page asks for a code where one is needed, and a link fills it in", async (t) => {
  const browser = await open_browser(t);
  const sign_up = async (box, path) => {
    const person = await Person.at(browser, box);
    t.after(() => person.check());
    await person.page.goto(path);
    await person.button("Create the account").waitFor();
    return person;
  };
  const open = await sign_up(await Box.start(t), "/login?new");
  await open.page.waitForLoadState("networkidle");
  assert.equal(await open.label("Invite code").count(), 0);
  await open.page.goto("/login?new&invite=aaaaaaaa-aaaaaaaaaaaaaaaa");
  await open.label("Invite code").waitFor();

  const box = await Box.start(t, { REGISTRATION: "invite" });
  const { code } = await generate(box);
  const ada = await sign_up(box, `/login?new&invite=${code}`);
  assert.equal(await ada.label("Invite code").inputValue(), code);
  await ada.label("E-mail").fill("ada@example.org");
  await ada.label("Password").fill(PASSWORD);
  await ada.button("Create the account").click();
  await ada.text("You have no plan yet").waitFor();

  const company = await Box.start(t);
  await company.end("SIGTERM");
  const provider = { SIGN_IN: "provider", IDP_ISSUER: "http://127.0.0.1:1", IDP_CLIENT_ID: "the-box", IDP_CLIENT_SECRET: "its secret" };
  company.env = { ...company.env, ...provider, REGISTRATION: "invite" };
  await company.serve();
  const bob = await Person.at(browser, company);
  await bob.page.goto(`/login?new&invite=${code}`);
  const link = bob.page.getByRole("link", { name: /^Sign in with/ });
  assert.equal(await link.getAttribute("href"), `/api/auth/idp?inviteCode=${code}`, "the provider's sign-in takes it along");
  bob.check();

  const closed = await Person.at(browser, await Box.start(t, { REGISTRATION: "closed" }));
  await closed.page.goto("/login?new");
  await closed.text("Registration is closed on this box").waitFor();
  closed.check();
});
