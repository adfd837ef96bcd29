// What the box may connect to, in a sentence.
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Loaded, useLoad } from "../components/loaded";

export function Policy() {
  const policy = useLoad(async () => (await call("GET /api/egress", { query: { limit: 1 } })).policy);
  return (
    <Loaded of={policy}>
      {({ egress, allow }) => (
        <p>
          {egress === "allow"
            ? t("egress.policy.allow")
            : allow.length === 0
              ? t("egress.policy.nothing")
              : t("egress.policy.deny", { list: allow.join(", ") })}
        </p>
      )}
    </Loaded>
  );
}
