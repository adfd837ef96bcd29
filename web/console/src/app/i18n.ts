// The console's texts. Each language is one file in messages/; build.mjs lists them in LANGUAGES. Keys and placeholders
// are those of en.json.
import { computed, signal } from "@preact/signals";

declare const LANGUAGES: string[];

export type Messages = typeof import("../messages/en.json");
export type Key = keyof Messages;
// A key without the plural form that ends it: "memory.count" of "memory.count.one" and "memory.count.other".
export type CountKey = Key extends infer K ? (K extends `${infer Base}.other` ? Base : never) : never;
type Values = Record<string, string | number>;

export const languages = LANGUAGES;
const stored = "agentbox.language";

// The language that was chosen here; empty: the browser's.
export const chosen = signal(localStorage.getItem(stored) ?? "");
const messages = signal<Messages | undefined>(undefined);

function preferred(): string {
  if (languages.includes(chosen.value)) return chosen.value;
  const spoken = navigator.languages.map((tag) => tag.split("-")[0]!);
  return spoken.find((tag) => languages.includes(tag)) ?? "en";
}

export const language = signal("en");
// For dates and numbers: the browser's own variant of the language, such as en-GB.
export const locale = computed(() => navigator.languages.find((tag) => tag.split("-")[0] === language.value) ?? language.value);

let loading: Promise<unknown> = Promise.resolve();

// Loads the texts; the console is drawn after that.
export function loadLanguage() {
  const loaded = load();
  loading = loaded.catch(() => undefined);
  return loaded;
}

// Resolved once t() has texts, or they could not be loaded. For what is said before the console is drawn.
export const untilLoaded = () => loading;

async function load() {
  const wanted = preferred();
  const loaded = (await import(`../messages/${wanted}.json`)) as { default: Messages };
  messages.value = loaded.default;
  language.value = wanted;
  document.documentElement.lang = wanted;
}

export async function chooseLanguage(tag: string) {
  chosen.value = tag;
  if (tag) localStorage.setItem(stored, tag);
  else localStorage.removeItem(stored);
  await loadLanguage();
}

// The text of a key, with {placeholders} filled in.
export function t(key: Key, values?: Values): string {
  const text = messages.value?.[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)) : text;
}

// The text for a count, in the plural form that the language has for it; {count} is filled in.
export function tn(key: CountKey, count: number, values: Values = {}): string {
  const form = new Intl.PluralRules(locale.value).select(count);
  const known = messages.value as Record<string, string> | undefined;
  const full = (known && `${key}.${form}` in known ? `${key}.${form}` : `${key}.other`) as Key;
  return t(full, { count: new Intl.NumberFormat(locale.value).format(count), ...values });
}

// Whether there is a text of that key.
export const has = (key: string): key is Key => messages.value !== undefined && key in messages.value;

// The text of a key that is made of a prefix and a value of the box, or the value itself if it has no text.
export function named(prefix: string, value: string): string {
  return (messages.value as Record<string, string> | undefined)?.[`${prefix}.${value}`] ?? value.replaceAll("_", " ");
}

// The name of a language in itself: Deutsch.
export function languageName(tag: string): string {
  return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
}
