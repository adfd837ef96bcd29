// A schedule in words where they are short: "daily at 08:00 (UTC)"; otherwise as it is written.
import { locale, t } from "../app/i18n";

const two = (value: string) => value.padStart(2, "0");

function weekday(number: string): string {
  // 2023-01-01 was a Sunday.
  const day = new Date(Date.UTC(2023, 0, 1 + (Number(number) % 7)));
  return new Intl.DateTimeFormat(locale.value, { weekday: "long", timeZone: "UTC" }).format(day);
}

export function cronWords(cron: string, timezone: string): string {
  const zone = timezone.replace(/^Etc\//, "");
  const [minute = "", hour = "", day = "", month = "", week = "", ...more] = cron.trim().split(/\s+/);
  const isNumber = (text: string) => /^\d{1,2}$/.test(text);
  if (more.length > 0 || month !== "*") return `${cron} (${zone})`;
  if (isNumber(minute) && hour === "*" && day === "*" && week === "*") return t("cron.hourly", { minute: two(minute) });
  const every = /^\*\/(\d{1,2})$/.exec(minute);
  if (every && hour === "*" && day === "*" && week === "*") return t("cron.minutes", { count: every[1]! });
  if (!isNumber(minute) || !isNumber(hour)) return `${cron} (${zone})`;
  const at = { time: `${two(hour)}:${two(minute)}`, zone };
  if (day === "*" && week === "*") return t("cron.daily", at);
  if (day === "*" && week === "1-5") return t("cron.weekdays", at);
  if (day === "*" && isNumber(week)) return t("cron.weekly", { ...at, day: weekday(week) });
  if (isNumber(day) && week === "*") return t("cron.monthly", { ...at, day });
  return `${cron} (${zone})`;
}
