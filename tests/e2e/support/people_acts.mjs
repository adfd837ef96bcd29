// For audit_routes.test.mjs: the routes of groups and of shared agents.
import { randomUUID } from "node:crypto";
import { INTERNAL_KEY, send } from "./box.mjs";

const of_group = (method, end, line, body) => [
  `backend ${method} /api/admin/groups/{id}${end}`,
  [
    line,
    async ({ box, bob }) => {
      const { id } = await box.backend_call("POST", "/api/admin/groups", { name: randomUUID() });
      const at = `/api/admin/groups/${id}`;
      if (method === "DELETE" && end) await box.backend_call("PUT", `${at}/members/${bob.id}`);
      await box.backend_call(method, at + end.replace("{user}", bob.id), body);
    },
  ],
];

const scim_call = async (box, method, path, body) => {
  const headers = { authorization: `Bearer ${INTERNAL_KEY}`, "content-type": "application/scim+json" };
  return JSON.parse((await send(box.web, method, `/scim/v2/${path}`, { headers, body: body && JSON.stringify(body) })).text || "null");
};
// Of a user or a group that the identity provider has just made.
const of_provider = (method, kind, line, body) => [
  `web ${method} /scim/v2/${kind}/{id}`,
  [
    line,
    async ({ box }) => {
      const name = `${randomUUID()}@example.org`;
      const { id } = await scim_call(box, "POST", kind, { userName: name, displayName: name });
      await scim_call(box, method, `${kind}/${id}`, body);
    },
  ],
];
const operations = (path, value) => ({ Operations: [{ op: "replace", path, value }] });

// As `noted` there.
export const people_noted = {
  "web POST /scim/v2/Users": [
    "created by SCIM: ok",
    ({ box }) => scim_call(box, "POST", "Users", { userName: `${randomUUID()}@example.org` }),
  ],
  "web POST /scim/v2/Groups": ["group created: ok", ({ box }) => scim_call(box, "POST", "Groups", { displayName: randomUUID() })],
  ...Object.fromEntries([
    of_provider("PUT", "Users", "changed by SCIM: address", { userName: `${randomUUID()}@example.org` }),
    of_provider("PATCH", "Users", "changed by SCIM: disabled: ok", operations("active", false)),
    of_provider("DELETE", "Users", "account deleted: ok"),
    of_provider("PUT", "Groups", "group changed: ok", { displayName: randomUUID() }),
    of_provider("PATCH", "Groups", "group changed: ok", operations("displayName", randomUUID())),
    of_provider("DELETE", "Groups", "group removed: ok"),
  ]),
  "backend POST /api/admin/groups": [
    "group created: ok",
    ({ box }) => box.backend_call("POST", "/api/admin/groups", { name: randomUUID() }),
  ],
  ...Object.fromEntries([
    of_group("PATCH", "", "group changed: ok", { plan: "solo" }),
    of_group("PUT", "/members/{user}", "group member added: ok"),
    of_group("DELETE", "/members/{user}", "group member removed: ok"),
    of_group("DELETE", "", "group removed: ok"),
  ]),
  "web PUT /api/agents/{id}/shares": [
    "agent shared: ok",
    ({ bob, agent }) => bob.call("PUT", `/api/agents/${agent}/shares`, { email: "friend@example.org", role: "viewer" }),
  ],
  "web DELETE /api/agents/{id}/shares/{share}": [
    "agent no longer shared: ok",
    async ({ bob, agent }) => {
      const { shares } = (await bob.call("GET", `/api/agents/${agent}/shares`)).body;
      await bob.call("DELETE", `/api/agents/${agent}/shares/${shares[0].id}`);
    },
  ],
  "web POST /api/agents/{id}/template": [
    "template published: Only administrators",
    ({ bob, agent }) => bob.call("POST", `/api/agents/${agent}/template`, { name: "Birds" }),
  ],
  "web PATCH /api/templates/{template}": [
    "template changed: No such template",
    ({ bob }) => bob.call("PATCH", "/api/templates/tp_aaaaaaaaaaaaaaaaaaaa", { name: "Herons" }),
  ],
  "web DELETE /api/templates/{template}": [
    "template removed: No such template",
    ({ bob }) => bob.call("DELETE", "/api/templates/tp_aaaaaaaaaaaaaaaaaaaa"),
  ],
  "web PATCH /api/shared/{id}/settings": [
    "shared agent changed: ok",
    async ({ bob, agent, box }) => {
      const builder = await box.customer("builder@example.org");
      await bob.call("PUT", `/api/agents/${agent}/shares`, { email: "builder@example.org", role: "builder", unverified: true });
      await builder.call("PATCH", `/api/shared/${agent}/settings`, { name: "Heron" });
    },
  ],
};

// As `unnoted` there: what people do with what is shared with them.
export const people_unnoted = [
  "web POST /api/templates/{template}/agents",
  "web POST /api/shared/{id}/chat",
  "web POST /api/shared/{id}/chat/stop",
  "web DELETE /api/shared/{id}/conversations/{conversation}",
  "web POST /api/shared/{id}/restart",
  "web POST /api/shared/{id}/schedules",
  ...["PATCH", "DELETE"].map((method) => `web ${method} /api/shared/{id}/schedules/{task}`),
  ...["write", "mkdir", "move"].map((act) => `web POST /api/shared/{id}/files/${act}`),
  "web DELETE /api/shared/{id}/files",
];
