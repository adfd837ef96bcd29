// For audit_routes.test.mjs: the routes of groups and of shared agents.
import { randomUUID } from "node:crypto";

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

// As `noted` there.
export const people_noted = {
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
  "web DELETE /api/shared/{id}/conversations/{conversation}",
  "web POST /api/shared/{id}/restart",
  "web POST /api/shared/{id}/schedules",
  ...["PATCH", "DELETE"].map((method) => `web ${method} /api/shared/{id}/schedules/{task}`),
  ...["write", "mkdir", "move"].map((act) => `web POST /api/shared/{id}/files/${act}`),
  "web DELETE /api/shared/{id}/files",
];
