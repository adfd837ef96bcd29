// Dates, numbers and money in the reader's language and time zone.
import { locale, t } from "./i18n";

const made = new Map<string, unknown>();

function cached<F>(kind: string, make: () => F): F {
  const key = `${locale.value} ${kind}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as F;
}

export const dateTime = (at: string | Date) =>
  cached("at", () => new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeStyle: "short" })).format(new Date(at));
export const date = (at: string | Date) =>
  cached("date", () => new Intl.DateTimeFormat(locale.value, { dateStyle: "medium" })).format(new Date(at));
export const time = (at: string | Date) =>
  cached("time", () => new Intl.DateTimeFormat(locale.value, { hour: "2-digit", minute: "2-digit" })).format(new Date(at));
export const clock = (at: string | Date) =>
  cached("clock", () => new Intl.DateTimeFormat(locale.value, { hour: "2-digit", minute: "2-digit", second: "2-digit" })).format(
    new Date(at),
  );
// A day that the box names in UTC (2026-11-23), short: 23 Nov.
export const day = (name: string) =>
  cached("day", () => new Intl.DateTimeFormat(locale.value, { day: "numeric", month: "short", timeZone: "UTC" })).format(
    new Date(`${name}T00:00:00Z`),
  );
// A calendar month that the box names in UTC (2026-11): November 2026.
export const month = (name: string) =>
  cached("month", () => new Intl.DateTimeFormat(locale.value, { month: "long", year: "numeric", timeZone: "UTC" })).format(
    new Date(`${name}-01T00:00:00Z`),
  );

export const number = (value: number) => cached("number", () => new Intl.NumberFormat(locale.value)).format(value);
export const compact = (value: number) =>
  cached("compact", () => new Intl.NumberFormat(locale.value, { notation: "compact", maximumFractionDigits: 1 })).format(value);
export const percent = (share: number) =>
  cached("percent", () => new Intl.NumberFormat(locale.value, { style: "percent", maximumFractionDigits: 0 })).format(share);

// An exact decimal of US dollars. Amounts below a cent keep the digits that matter.
export function money(amount: string): string {
  const small = Math.abs(Number(amount)) < 0.01 && Number(amount) !== 0;
  const format = small ? smallMoney() : inDollars("money", { maximumFractionDigits: 2 });
  return format.format(amount as Intl.StringNumericLiteral);
}

const inDollars = (name: string, digits: Intl.NumberFormatOptions) =>
  cached(name, () => new Intl.NumberFormat(locale.value, { style: "currency", currency: "USD", ...digits }));
const smallMoney = () => inDollars("small money", { maximumSignificantDigits: 2 });

// A mark of an axis in dollars. Below whole cents it has the two digits that marks have: $0.015.
export const moneyMark = (value: number) => {
  const isCents = Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;
  return isCents ? money(value.toFixed(2)) : smallMoney().format(value);
};

// An exact decimal of a currency: pounds of a plan's price.
export const moneyIn = (currency: string, amount: string | number) =>
  cached(`money ${currency}`, () => new Intl.NumberFormat(locale.value, { style: "currency", currency })).format(
    amount as Intl.StringNumericLiteral,
  );

// An exact decimal of a token with all its digits: 12.5 USDC.
export const tokens = (amount: string, name: string) =>
  `${cached("tokens", () => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 18 })).format(amount as Intl.StringNumericLiteral)}\u00a0${name}`;

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

// How long ago, or in how long: "3 minutes ago".
export function relative(at: string | Date): string {
  const seconds = (new Date(at).getTime() - Date.now()) / 1_000;
  if (seconds <= 0 && seconds > -10) return t("time.just_now");
  const [unit, length] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps.at(-1)!;
  const format = cached("relative", () => new Intl.RelativeTimeFormat(locale.value, { numeric: "auto" }));
  return format.format(Math.trunc(seconds / length), unit);
}

// A length of time in the largest unit that fits: "2 min", "350 ms".
export function duration(milliseconds: number): string {
  const [unit, size] =
    milliseconds < 1_000
      ? (["millisecond", 1] as const)
      : milliseconds < 60_000
        ? (["second", 1_000] as const)
        : milliseconds < 3_600_000
          ? (["minute", 60_000] as const)
          : milliseconds < 86_400_000
            ? (["hour", 3_600_000] as const)
            : (["day", 86_400_000] as const);
  return cached(
    `duration ${unit}`,
    () => new Intl.NumberFormat(locale.value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }),
  ).format(milliseconds / size);
}

export function bytes(count: number): string {
  const [unit, size] =
    count < 1e6 ? (["kilobyte", 1e3] as const) : count < 1e9 ? (["megabyte", 1e6] as const) : (["gigabyte", 1e9] as const);
  return cached(
    `bytes ${unit}`,
    () => new Intl.NumberFormat(locale.value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }),
  ).format(count / size);
}
