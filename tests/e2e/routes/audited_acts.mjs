// What the story of the audit log does that takes more than one request.
import { ADMIN, INTERNAL_KEY, PASSWORD, send } from "../support/box.mjs";

export const factor = "/api/settings/second-factor";

// Makes a secret with which an agent signs on the bus, and remembers the key's id.
export const add_bus_key = async (call, world) => {
  const { body } = await call("POST", "/api/underground/keys", { agentId: world.agent, algorithm: "hmac-sha256" });
  world.bus_key = body.key.id;
};
export const add_credential = async (world) => {
  const { body } = await world.ada.call("POST", "/api/credentials", {
    name: "FORGE",
    secret: "the-secret-of-the-forge",
    hosts: ["forge.example.org"],
    form: "bearer",
  });
  world.credential = body.credential.id;
};
export const with_key = (base, path, body) =>
  send(base, "POST", path, {
    headers: { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
export const call_tool = async (box, listener) => {
  const person = await box.customer(`${listener}-tools@example.org`);
  const { key } = (await person.call("POST", "/api/keys", { name: "mcp" })).body;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_agents" } });
  return send(box[listener], "POST", "/mcp", { headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body });
};

// A client of /mcp that a user lets in.
export const let_in = async (box) => {
  const person = await box.customer("consent@example.org");
  const redirectUri = "https://connector.example.org/callback";
  const headers = { "content-type": "application/json" };
  const registered = await send(box.web, "POST", "/oauth/register", { headers, body: JSON.stringify({ redirect_uris: [redirectUri] }) });
  const proof = { responseType: "code", codeChallenge: "a".repeat(43), codeChallengeMethod: "S256" };
  return person.call("POST", "/oauth/consent", { clientId: registered.body.client_id, redirectUri, ...proof, decision: "allow" });
};
export const sign_out = async (box) => {
  const person = await box.customer("signed-out@example.org");
  const { id } = (await person.call("POST", "/api/agents/provision", { name: "Scout" })).body.agent;
  await person.call("PUT", `/api/agents/${id}/config`, { config: { mcpServers: { sky: { url: "https://mcp.example.org/mcp" } } } });
  return person.call("DELETE", `/api/agents/${id}/mcp-servers/sky/sign-in`);
};

// A user with an agent, whose payment waits for the user's answer.
export const payer_of = async ({ box }, name) => {
  const payer = await box.customer(`${name}@example.org`);
  const { id: agent } = await box.backend_call("POST", "/api/agents", { name: "Scout", userId: payer.id });
  await payer.call("POST", "/api/wallet", { action: "create" });
  await payer.call("PUT", "/api/wallet/rules", { approvalAboveUsdc: "0" });
  const { address } = (await payer.call("GET", `/api/wallet/agents/${agent}`)).body;
  await payer.call("POST", "/api/wallet/transfer", { to: address, amount: "1" });
  const [ask] = (await payer.call("GET", "/api/asks?waiting=true")).body.asks;
  return { payer, agent, ask: ask.id };
};

// A user asks for a plan, and an administrator decides.
export const decide = async ({ box }, listener, act) => {
  const user = await box.customer(`${listener}-${act}@example.org`);
  await user.call("POST", "/api/subscriptions/request", { plan: "network" });
  const path = `/api/admin/plan-requests/${user.id}/${act}`;
  if (listener === "backend") return box.backend_call("POST", path, {});
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  return admin.call("POST", path, {});
};

// A user registers with another's code, and an administrator decides about the credits.
export const decide_referral = async ({ box, ada }, listener, act) => {
  const { referralCode } = (await ada.call("GET", "/api/settings")).body;
  const email = `${listener}-${act}-referred@example.org`;
  const { body } = await box.person().call("POST", "/api/register", { email, password: PASSWORD, referralCode });
  const path = `/api/admin/referrals/${body.id}/${act}`;
  if (listener === "backend") return box.backend_call("POST", path);
  const admin = box.person();
  await admin.log_in(ADMIN.email, ADMIN.password);
  return admin.call("POST", path);
};
