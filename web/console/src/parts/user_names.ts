// Names for the ids in records of the whole box. An id without a name is shown as it is: of a deleted user, or beyond the
// newest that are asked for.
import { call } from "../api/client";
import { useLoad } from "../components/loaded";

const most = 200;

export const useUserNames = () =>
  useLoad(async () => {
    const { users } = await call("GET /api/admin/users", { query: { limit: most } });
    return new Map(users.map(({ id, name, email }) => [id, name || email]));
  });

export const useAgentNames = () =>
  useLoad(async () => {
    const { agents } = await call("GET /api/admin/agents", { query: { limit: most } });
    return new Map(agents.map(({ id, name }) => [id, name]));
  });
