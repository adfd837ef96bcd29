// What the audit log's entries are about, in the reader's language. The box writes them in English: "cap set by admin".
import { has, type Key, t } from "./app/i18n";

// Acts that hold a name or an amount.
const detailed: [RegExp, string][] = [
  [/^plan (\w+) approved$/, "plan_approved"],
  [/^plan (\w+) denied$/, "plan_denied"],
  [/^plan (\w+) deployed$/, "plan_deployed"],
  [/^credits adjusted by (.+)$/, "credits_adjusted"],
  [/^security event (.+)$/, "security_event"],
  [/^sign-in by (.+)$/, "sign_in_by"],
];

const keyOf = (act: string) => `audit.act.${act.toLowerCase().replace(/[^a-z]+/g, "_")}`;

export function actInWords(act: string): string {
  const [, bare, by, rest = ""] = /^(.*?) by (admin|SCIM)(:? .*)?$/.exec(act) ?? [];
  if (bare) return t(by === "SCIM" ? "audit.by_scim" : "audit.by_admin", { act: actInWords(bare) }) + rest;
  const key = keyOf(act);
  if (has(key)) return t(key);
  for (const [pattern, name] of detailed) {
    const found = pattern.exec(act);
    if (found) return t(`audit.act.${name}` as Key, { detail: found[1]! });
  }
  return act;
}
