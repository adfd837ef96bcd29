// The MCP servers that an agent's config names: their tools or what is wrong, and sign-ins at those that want one.
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { t, tn } from "../app/i18n";
import { parameter } from "../app/router";
import { Action } from "../components/action";
import { useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { State } from "../components/state";

export function McpServers({ agent }: { agent: Agent }) {
  const path = { id: agent.id };
  const servers = useLoad(async () => (await call("GET /api/agents/{id}/mcp-servers", { path })).servers, [agent.id]);
  const list = servers.data.value ?? [];
  if (list.length === 0) return null;
  const signIn = async (server: string) => {
    const { url } = await call("POST /api/agents/{id}/mcp-servers/{server}/sign-in", { path: { ...path, server } });
    window.location.assign(url);
  };
  const signOut = async (server: string) => {
    await call("DELETE /api/agents/{id}/mcp-servers/{server}/sign-in", { path: { ...path, server } });
    await servers.reload();
  };
  return (
    <section aria-labelledby="mcp-title">
      <h2 id="mcp-title">{t("mcp.title")}</h2>
      <p class="quiet">{t("mcp.about", { name: agent.name })}</p>
      {parameter("signedIn") && <Notice kind="hint">{t("mcp.signed_in", { server: parameter("signedIn") })}</Notice>}
      {parameter("signInFailed") && <Notice kind="error">{t("mcp.sign_in_failed", { reason: parameter("signInFailed") })}</Notice>}
      <ul class="rows">
        {list.map((server) => (
          <li key={server.name}>
            <h3>
              <bdi>{server.name}</bdi>
            </h3>
            <p class="facts">
              <State tone={server.error ? "bad" : "good"}>{tn("mcp.tools", server.tools.length)}</State>
              <bdi>{server.url ?? server.command}</bdi>
            </p>
            {server.error && <p class="cause">{server.error}</p>}
            {server.signIn && (
              <div class="actions start">
                {server.signIn === "needed" ? (
                  <Action kind="primary" label={t("mcp.sign_in_at", { server: server.name })} run={() => signIn(server.name)}>
                    {t("mcp.sign_in")}
                  </Action>
                ) : (
                  <Action label={t("mcp.sign_out_of", { server: server.name })} run={() => signOut(server.name)}>
                    {t("mcp.sign_out")}
                  </Action>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
