// SCIM 2.0: an identity provider that makes, changes and suspends users and fills groups, with the requests of Okta and of
// Microsoft Entra ID. What the box answers is checked against the schemas of scimmy, and what a PATCH makes of a user
// against scim-patch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, Box, INTERNAL_KEY, PASSWORD, send, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const SCIMMY = package_named("scimmy").default;
const { scimPatch } = package_named("scim-patch");

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const MESSAGE = "urn:ietf:params:scim:api:messages:2.0";

// The provider as a client: it checks the form of every answer.
const provider_of = async (box, scopes = ["scim"], name = "idp") => {
  const { key } = await box.backend_call("POST", "/api/admin/operator-keys", { name, scopes });
  const ask = async (method, path, body, more = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/scim+json; charset=utf-8" }), ...more };
    const answer = await send(box.web, method, `/scim/v2${path}`, { headers, body: body && JSON.stringify(body) });
    if (answer.text) {
      assert.equal(answer.headers["content-type"], "application/scim+json", answer.text);
      answer.body = JSON.parse(answer.text);
      check_form(answer);
    }
    return answer;
  };
  const ok = async (...given) => {
    const answer = await ask(...given);
    assert.ok(answer.status < 300, `${given[0]} ${given[1]}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const patch = (path, ...Operations) => ok("PATCH", path, { schemas: [`${MESSAGE}:PatchOp`], Operations });
  return { key, ask, ok, patch };
};

const check_resource = (resource) => {
  const kind = resource.schemas[0].split(":").at(-1);
  if (!["User", "Group"].includes(kind)) return;
  const known = SCIMMY.Schemas[kind].definition.coerce(structuredClone(resource), "out");
  const without_place = ({ meta: _, ...rest }) => rest;
  assert.deepEqual(without_place(JSON.parse(JSON.stringify(known))), without_place(resource), "every attribute is one of the schema");
};

const check_form = ({ status, body, headers }) => {
  if (status >= 400) {
    assert.deepEqual(body.schemas, [`${MESSAGE}:Error`]);
    assert.equal(body.status, String(status));
    assert.ok(body.detail);
  } else if (body.schemas[0] === `${MESSAGE}:ListResponse`) {
    assert.equal(body.itemsPerPage, body.Resources.length);
    body.Resources.forEach(check_resource);
  } else {
    check_resource(body);
    if (body.meta.version) assert.equal(headers.etag, body.meta.version);
  }
};

const sam = {
  schemas: [`${CORE}:User`, ENTERPRISE],
  externalId: "00u1",
  userName: "Sam@example.org",
  name: { givenName: "Sam", familyName: "Vimes" },
  emails: [{ primary: true, value: "sam@example.org", type: "work" }],
  displayName: "Sam Vimes",
  locale: "en-GB",
  groups: [],
  password: "1mz050nq of the provider",
  active: true,
  [ENTERPRISE]: { department: "Watch", employeeNumber: "177" },
};

test("what the server says of itself", async (t) => {
  const box = await Box.start(t);
  const { ask, ok } = await provider_of(box);
  const config = await ok("GET", "/ServiceProviderConfig");
  assert.deepEqual(
    [config.patch.supported, config.filter.supported, config.bulk.supported, config.etag.supported],
    [true, true, false, true],
  );
  const types = await ok("GET", "/ResourceTypes");
  assert.deepEqual(
    types.Resources.map(({ id, endpoint }) => [id, endpoint]),
    [
      ["User", "/Users"],
      ["Group", "/Groups"],
    ],
  );
  const schemas = await ok("GET", "/Schemas");
  assert.deepEqual(
    schemas.Resources.map(({ id }) => id),
    [`${CORE}:User`, `${CORE}:Group`],
  );
  for (const { id } of types.Resources) assert.equal((await ok("GET", `/ResourceTypes/${id}`)).name, id);
  for (const { id } of schemas.Resources) assert.equal((await ok("GET", `/Schemas/${id}`)).id, id);
  assert.equal((await ask("GET", "/Schemas/urn:none")).status, 404);
  assert.equal((await ask("POST", "/Schemas", {})).status, 405);
  assert.equal((await ask("GET", "/Bulk")).status, 404);
  // Every attribute of a user is one that the schema names.
  const named = schemas.Resources[0].attributes.map(({ name }) => name);
  const user = await ok("POST", "/Users", sam);
  for (const name of Object.keys(user)) assert.ok(["schemas", "id", "externalId", "meta", ...named].includes(name), name);
});

test("only operator keys with the scope scim open it, and they open nothing else", async (t) => {
  const box = await Box.start(t);
  const { key, ask } = await provider_of(box);
  const other = await provider_of(box, ["users"], "other");
  const reader = await provider_of(box, ["read-only"], "reader");
  const refused = await other.ask("GET", "/Users");
  assert.deepEqual([refused.status, refused.body.detail], [403, "This key lacks the scope scim"]);
  assert.equal((await reader.ask("GET", "/Users")).status, 200);
  assert.equal((await reader.ask("POST", "/Users", sam)).status, 403);
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${key}x` }]) {
    const answer = await send(box.web, "GET", "/scim/v2/Users", { headers });
    assert.deepEqual([answer.status, JSON.parse(answer.text).status], [401, "401"]);
  }
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  assert.equal((await admin.call("GET", "/scim/v2/Users")).status, 401, "sessions do not count");
  for (const path of ["/api/admin/users", "/api/admin/groups", "/api/agents"])
    assert.equal((await send(box.backend, "GET", path, { headers: { authorization: `Bearer ${key}` } })).status, 403, path);
  assert.equal((await ask("POST", "/Users", sam, { "content-type": "text/plain" })).status, 415);
  await box.backend_call("DELETE", "/api/admin/operator-keys/idp");
  assert.equal((await ask("GET", "/Users")).status, 401, "a revoked key");
});

test("Okta makes, finds, changes and suspends a user", async (t) => {
  const box = await Box.start(t);
  const { ask, ok, patch } = await provider_of(box);
  const by_name = (name) => ok("GET", `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}&startIndex=1&count=100`);
  assert.equal((await by_name("sam@example.org")).totalResults, 0);
  const made = await ask("POST", "/Users", sam);
  assert.equal(made.status, 201, made.text);
  const user = made.body;
  assert.equal(made.headers.location, user.meta.location);
  assert.deepEqual(
    [user.userName, user.externalId, user.displayName, user.name, user.active, user.emails],
    [
      "Sam@example.org",
      "00u1",
      "Sam Vimes",
      { givenName: "Sam", familyName: "Vimes" },
      true,
      [{ value: "sam@example.org", type: "work", primary: true }],
    ],
  );
  assert.doesNotMatch(made.text, /1mz050nq|Watch/, "what the box has no use for is not kept");
  const again = await ask("POST", "/Users", { ...sam, externalId: "00u2" });
  assert.deepEqual([again.status, again.body.scimType], [409, "uniqueness"]);
  const [found] = (await by_name("sAM@EXAMPLE.org")).Resources;
  assert.deepEqual(found, user);
  const account = await box.backend_call("GET", `/api/admin/users/${user.id}`);
  assert.deepEqual([account.email, account.name, account.emailVerified, account.isAdmin], ["sam@example.org", "Sam Vimes", true, false]);

  const { password: _, ...profile } = sam;
  const changed = await ok("PUT", `/Users/${user.id}`, {
    ...profile,
    id: user.id,
    name: { givenName: "Samuel", familyName: "Vimes" },
    displayName: "Samuel Vimes",
  });
  assert.deepEqual([changed.displayName, changed.name.givenName], ["Samuel Vimes", "Samuel"]);
  assert.equal((await patch(`/Users/${user.id}`, { op: "replace", value: { active: false } })).active, false);
  assert.equal((await box.backend_call("GET", `/api/admin/users/${user.id}`)).isDisabled, true);
  assert.equal((await patch(`/Users/${user.id}`, { op: "replace", value: { active: true } })).active, true);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  const of_sam = entries.filter(({ userId, by }) => String(userId) === user.id && by === "operator:idp").map(({ act }) => act);
  assert.deepEqual(of_sam.reverse(), ["created by SCIM", "changed by SCIM: name", "changed by SCIM: disabled", "changed by SCIM: enabled"]);
});

test("Entra ID's PATCH changes what scim-patch says it changes", async (t) => {
  const box = await Box.start(t);
  const { ask, ok } = await provider_of(box);
  const user = await ok("POST", "/Users", sam);
  const cases = [
    [{ op: "Replace", path: "displayName", value: "Commander Vimes" }],
    [{ op: "Replace", path: "name.familyName", value: "Ramkin" }],
    [{ op: "Add", path: "name.givenName", value: "Sybil" }],
    [{ op: "replace", path: "externalId", value: "00u9" }],
    [{ op: "Replace", value: { "name.givenName": "Samuel", displayName: "Samuel" } }],
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "commander@example.org" }],
    [{ op: "replace", path: `${CORE}:User:displayName`, value: "His Grace" }],
    [
      { op: "Remove", path: "name.givenName" },
      { op: "Add", path: "name.givenName", value: "Sir Samuel" },
    ],
  ];
  let expected = user;
  for (const Operations of cases) {
    const answer = await ask("PATCH", `/Users/${user.id}`, { schemas: [`${MESSAGE}:PatchOp`], Operations });
    assert.equal(answer.status, 200, JSON.stringify(Operations) + answer.text);
    // scim-patch takes the schema before a name for an extension.
    const plain = Operations.map((one) => ({ ...one, ...(one.path && { path: one.path.replace(`${CORE}:User:`, "") }) }));
    expected = scimPatch(structuredClone(expected), plain);
    const compared = ({ meta: _, ...rest }) => rest;
    assert.deepEqual(compared(answer.body), compared(expected), JSON.stringify(Operations));
  }
  // Where scim-patch replaces the whole, RFC 7644 (3.5.2.3) leaves parts that are not named.
  const part = await ok("PATCH", `/Users/${user.id}`, { Operations: [{ op: "replace", value: { name: { familyName: "Dragon" } } }] });
  assert.deepEqual(part.name, { givenName: "Sir Samuel", familyName: "Dragon" });
  const operation = (one) => ask("PATCH", `/Users/${user.id}`, { schemas: [`${MESSAGE}:PatchOp`], Operations: [one] });
  for (const [value, active] of [
    ["False", false],
    ["True", true],
    [false, false],
    ["true", true],
  ])
    assert.equal((await operation({ op: "Replace", path: "active", value })).body.active, active, String(value));
  const before = await ok("GET", `/Users/${user.id}`);
  for (const one of [
    { op: "Add", path: `${ENTERPRISE}:department`, value: "Watch" },
    { op: "Replace", path: 'phoneNumbers[type eq "mobile"].value', value: "1" },
    { op: "Add", value: { [`${ENTERPRISE}:manager`]: "7", title: "Commander" } },
  ])
    assert.deepEqual((await operation(one)).body, before, "attributes that the box has not are ignored");
  for (const [one, type] of [
    [{ op: "move", path: "active", value: true }, "invalidValue"],
    [{ op: "Replace", path: "active", value: "perhaps" }, "invalidValue"],
    [{ op: "Replace", path: "userName", value: "" }, "invalidValue"],
    [{ op: "Replace", path: 'emails[type eq "work"].value', value: "no address" }, "invalidValue"],
    [{ op: "Replace", path: 'emails[type eq "home"].value', value: "x@example.org" }, "noTarget"],
    [{ op: "remove" }, "noTarget"],
    [{ op: "Replace", path: "emails[type eq", value: "x" }, "invalidPath"],
    [{ op: "Replace", path: "id", value: "1" }, "mutability"],
    [{ op: "Replace", path: "groups", value: [] }, "mutability"],
  ]) {
    const answer = await operation(one);
    assert.deepEqual([answer.status, answer.body.scimType], [400, type], JSON.stringify(one));
  }
  const both = await ask("PATCH", `/Users/${user.id}`, {
    Operations: [
      { op: "Replace", path: "displayName", value: "Half" },
      { op: "Replace", path: "active", value: "perhaps" },
    ],
  });
  assert.equal(both.status, 400);
  assert.deepEqual(await ok("GET", `/Users/${user.id}`), before, "all operations or none");
});

test("lists are filtered, paged and shortened", async (t) => {
  const box = await Box.start(t);
  const { ask, ok } = await provider_of(box);
  for (let n = 1; n <= 5; ++n)
    await ok("POST", "/Users", { ...sam, userName: `u${n}@example.org`, externalId: `x${n}`, emails: undefined, active: n !== 3 });
  const list = async (query) => ok("GET", `/Users?${new URLSearchParams(query)}`);
  const names = async (filter) => (await list({ filter })).Resources.map(({ userName }) => userName[1]).join("");
  for (const [filter, found] of [
    ['userName eq "U2@example.org"', "2"],
    ['externalId eq "x4"', "4"],
    ['externalId eq "X4"', ""],
    ['userName sw "u" and active eq false', "3"],
    ['userName eq "u1@example.org" or externalId eq "x5"', "15"],
    ['not (userName eq "u1@example.org") and userName sw "u" and not (active eq false)', "245"],
    ['emails[type eq "work" and value eq "u2@example.org"]', "2"],
    ['emails.value ew "5@example.org"', "5"],
    ['userName sw "u" and (externalId eq "x1" or externalId eq "x2")', "12"],
    ["externalId pr", "12345"],
    ...["co", "sw", "ew", "gt", "ge", "lt", "le"].map((comparison) => [`nickName ${comparison} "a"`, ""]),
    [`${CORE}:User:userName eq "u2@example.org"`, "2"],
    ['userName eq "a\\"b"', ""],
  ])
    assert.equal(await names(filter), found, filter);
  for (const filter of ["userName", "userName eq", "userName is 1", '(userName eq "x"', `${"(".repeat(50)}id pr${")".repeat(50)}`, "[]"]) {
    const refused = await ask("GET", `/Users?${new URLSearchParams({ filter })}`);
    assert.deepEqual([refused.status, refused.body.scimType], [400, "invalidFilter"], filter);
  }
  const all = await list({ filter: "externalId pr" });
  const page = await list({ filter: "externalId pr", startIndex: 2, count: 2 });
  assert.deepEqual([page.totalResults, page.startIndex, page.itemsPerPage], [5, 2, 2]);
  assert.deepEqual(page.Resources, all.Resources.slice(1, 3));
  assert.deepEqual(await list({ filter: "externalId pr", startIndex: 0, count: -1 }), { ...all, itemsPerPage: 0, Resources: [] });
  const [short] = (await list({ filter: 'externalId eq "x1"', attributes: "userName,name.familyName" })).Resources;
  assert.deepEqual(Object.keys(short).toSorted(), ["id", "name", "schemas", "userName"]);
  assert.deepEqual(short.name, { familyName: "Vimes" });
  const [less] = (await list({ filter: 'externalId eq "x1"', excludedAttributes: "emails,name.givenName" })).Resources;
  assert.deepEqual([less.emails, less.name], [undefined, { familyName: "Vimes" }]);
});

test("versions: nothing is lost that another client has written", async (t) => {
  const box = await Box.start(t);
  const { ask, ok, patch } = await provider_of(box);
  const user = await ok("POST", "/Users", sam);
  const path = `/Users/${user.id}`;
  assert.equal((await ask("GET", path, undefined, { "if-none-match": user.meta.version })).status, 304);
  const changed = await patch(path, { op: "replace", path: "displayName", value: "Samuel" });
  assert.notEqual(changed.meta.version, user.meta.version);
  for (const [method, body] of [
    ["PUT", sam],
    ["PATCH", { Operations: [{ op: "replace", path: "displayName", value: "Sam" }] }],
    ["DELETE", undefined],
  ]) {
    const stale = await ask(method, path, body, { "if-match": user.meta.version });
    assert.equal(stale.status, 412, method + stale.text);
  }
  assert.equal((await ask("PUT", path, sam, { "if-match": changed.meta.version })).status, 200);
  const others = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ok("POST", "/Users", { ...sam, userName: `u${n}@example.org`, emails: undefined })),
  );
  const group = await ok("POST", "/Groups", { displayName: "Watch" });
  await Promise.all(
    others.map(({ id }) => ok("PATCH", `/Groups/${group.id}`, { Operations: [{ op: "add", path: "members", value: [{ value: id }] }] })),
  );
  assert.equal((await ok("GET", `/Groups/${group.id}`)).members.length, 8, "eight clients at once have each added one");
});

test("groups: members come and go, as Okta and as Entra ID write it", async (t) => {
  const box = await Box.start(t);
  const { ask, ok, patch } = await provider_of(box);
  const [ada, bob, eve] = await Promise.all(
    ["ada", "bob", "eve"].map((name) => ok("POST", "/Users", { userName: `${name}@example.org`, displayName: name })),
  );
  const made = await ok("POST", "/Groups", {
    schemas: [`${CORE}:Group`],
    displayName: "Birds",
    externalId: "g1",
    members: [{ value: ada.id, display: "ada" }],
  });
  assert.deepEqual([made.displayName, made.externalId, made.members.map(({ value }) => value)], ["Birds", "g1", [ada.id]]);
  const path = `/Groups/${made.id}`;
  const members = async () => (await ok("GET", path)).members.map(({ value }) => value).toSorted();
  assert.equal((await ask("POST", "/Groups", { displayName: "birds" })).body.scimType, "uniqueness");
  await patch(path, { op: "Add", path: "members", value: [{ $ref: null, value: bob.id }] });
  await patch(path, { op: "add", path: "members", value: [{ value: eve.id, display: "eve" }, { value: bob.id }] });
  assert.deepEqual(await members(), [ada.id, bob.id, eve.id].toSorted());
  await patch(path, { op: "remove", path: `members[value eq "${ada.id}"]` });
  await patch(path, { op: "Remove", path: "members", value: [{ value: bob.id }] });
  await patch(path, { op: "Remove", path: "members", value: [] });
  assert.deepEqual(await members(), [eve.id]);
  await patch(path, { op: "replace", value: { id: made.id, displayName: "Waders" } });
  await patch(path, { op: "replace", path: "members", value: [{ value: ada.id }] });
  assert.deepEqual(await members(), [ada.id]);
  const groups = await ok("GET", `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "waders"')}`);
  assert.deepEqual(
    groups.Resources.map(({ id, members: shown }) => [id, shown]),
    [[made.id, undefined]],
  );
  const of_eve = await ok("GET", `/Groups?filter=${encodeURIComponent(`members[value eq "${ada.id}"]`)}`);
  assert.equal(of_eve.totalResults, 1);
  assert.deepEqual(
    (await ok("GET", `/Users/${ada.id}`)).groups.map(({ display }) => display),
    ["Waders"],
  );
  const nobody = await ask("PATCH", path, { Operations: [{ op: "add", path: "members", value: [{ value: "999999" }] }] });
  assert.deepEqual([nobody.status, nobody.body.scimType], [400, "invalidValue"]);
  await ok("PUT", path, { displayName: "Waders", members: [{ value: bob.id }, { value: eve.id }] });
  assert.deepEqual(await members(), [bob.id, eve.id].toSorted());
  const listed = await box.backend_call("GET", `/api/admin/groups/${made.id}`);
  assert.ok(listed.members.every(({ source }) => source === "scim"));
  await box.backend_call("PATCH", `/api/admin/groups/${made.id}`, { plan: "solo" });
  await patch(path, { op: "add", path: "members", value: [{ value: ada.id }] });
  await until("the plan of the group is ada's", async () => (await box.backend_call("GET", `/api/admin/users/${ada.id}`)).plan === "solo");
  assert.equal((await ask("DELETE", path)).status, 204);
  assert.equal((await ask("GET", path)).status, 404);
  const { entries } = await box.backend_call("GET", "/api/admin/audit?limit=1000");
  for (const act of ["group created", "group changed", "group member added", "group member removed", "group removed"])
    assert.ok(
      entries.some((one) => one.act === act && one.by === "operator:idp"),
      act,
    );
});

test("suspending ends sessions and stops agents, and loses nothing; what an administrator has disabled stays so", async (t) => {
  const box = await Box.start(t);
  const { ok, patch, ask } = await provider_of(box);
  const ada = await box.customer("ada@example.org");
  await ada.call("POST", "/api/auth/verify-email", { token: (await box.mail_with("verify", "ada@example.org")).token });
  const agent = await box.running_agent(ada);
  const { Resources } = await ok("GET", `/Users?filter=${encodeURIComponent('userName eq "ada@example.org"')}`);
  assert.deepEqual(
    Resources.map(({ id }) => id),
    [ada.id],
    "an account that was there is found, and need not be made",
  );
  const active = (value) => patch(`/Users/${ada.id}`, { op: "Replace", path: "active", value });
  await active("False");
  assert.equal((await ada.call("GET", "/api/settings")).status, 401);
  assert.equal((await box.person().log_in("ada@example.org", PASSWORD)).status, 401);
  await until(
    "the agent stops",
    async () => (await box.backend_call("GET", "/api/agents")).find(({ id }) => id === agent).status === "stopped",
  );
  assert.equal((await active("True")).active, true);
  await ada.log_in("ada@example.org", PASSWORD);
  assert.equal((await ada.call("GET", `/api/agents/${agent}`)).status, 200, "everything is still there");

  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await active("True")).active, false, "an administrator has disabled the account");
  assert.equal((await ok("PUT", `/Users/${ada.id}`, { userName: "ada@example.org", active: true })).active, false);
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: false });
  await active("False");
  await box.backend_call("PATCH", `/api/admin/users/${ada.id}`, { isDisabled: true });
  assert.equal((await active("True")).active, false, "also after the provider had suspended it");

  const made = await ok("POST", "/Users", { ...sam, active: false });
  assert.equal(made.active, false);
  assert.equal((await patch(`/Users/${made.id}`, { op: "Replace", path: "active", value: true })).active, true);
  assert.equal((await ask("DELETE", `/Users/${made.id}`)).status, 204);
  assert.equal((await ask("GET", `/Users/${made.id}`)).status, 404);
  assert.equal((await ok("POST", "/Users", sam)).active, true, "the name is free again");
});

test("erasing waits for money, and administrators are made and unmade on the box alone", async (t) => {
  const box = await Box.start(t);
  const { ask, ok, patch } = await provider_of(box);
  const { id } = await ok("POST", "/Users", sam);
  await box.backend_call("POST", "/api/admin/ledger/credit", { userId: id, amount: "5", reference: "a deposit" });
  const kept = await ask("DELETE", `/Users/${id}`);
  assert.equal(kept.status, 409, kept.text);
  assert.equal((await ok("GET", `/Users/${id}`)).active, true);

  const root = (await ok("GET", `/Users?filter=${encodeURIComponent(`userName eq "${ADMIN.email}"`)}`)).Resources[0];
  for (const [method, body] of [
    ["DELETE", undefined],
    ["PATCH", { Operations: [{ op: "replace", path: 'emails[type eq "work"].value', value: "taken-over@example.org" }] }],
    ["PUT", { userName: "taken-over@example.org" }],
  ])
    assert.equal((await ask(method, `/Users/${root.id}`, body)).status, 403, method);
  const last = await ask("PATCH", `/Users/${root.id}`, { Operations: [{ op: "replace", path: "active", value: false }] });
  assert.equal(last.status, 409, "the last administrator stays");
  const admin = box.person();
  assert.equal((await admin.log_in(ADMIN.email, ADMIN.password)).status, 200);

  await box.end("SIGTERM");
  box.env = { ...box.env, ADMIN_EMAILS: "chief@example.org" };
  await box.serve();
  const chief = await ask("PATCH", `/Users/${id}`, {
    Operations: [{ op: "replace", path: 'emails[type eq "work"].value', value: "chief@example.org" }],
  });
  assert.equal(chief.status, 403, "an address of ADMIN_EMAILS makes nobody an administrator this way");
  await ok("POST", "/Users", { userName: "chief@example.org" });
  assert.equal((await box.backend_call("GET", "/api/admin/users/chief@example.org")).isAdmin, false);
  assert.equal((await patch(`/Users/${id}`, { op: "replace", path: "active", value: false })).active, false);
});

test("an account that somebody has made with another's address is claimed for the person whom the provider knows", async (t) => {
  const box = await Box.start(t);
  const { ok, ask } = await provider_of(box);
  const squatter = await box.customer("sam@example.org");
  assert.equal((await ok("GET", `/Users?filter=${encodeURIComponent('userName eq "sam@example.org"')}`)).totalResults, 0);
  assert.equal((await ask("GET", `/Users/${squatter.id}`)).status, 404, "an address that was only typed is nobody's");
  const group = await ok("POST", "/Groups", { displayName: "Watch" });
  const joined = await ask("PATCH", `/Groups/${group.id}`, {
    Operations: [{ op: "add", path: "members", value: [{ value: squatter.id }] }],
  });
  assert.equal(joined.status, 400);
  const user = await ok("POST", "/Users", sam);
  assert.deepEqual([user.id, user.displayName], [squatter.id, "Sam Vimes"]);
  assert.equal((await squatter.call("GET", "/api/settings")).status, 401, "the squatter's sessions have ended");
  assert.equal((await box.person().log_in("sam@example.org", PASSWORD)).status, 401, "and the password is gone");
});
