// The console's texts. Each language is one file in messages/; keys and placeholders are those of en.json. build.mjs
// splits it: "frame" is loaded before the console is drawn, the others with the pages that use them (pages.ts).
import { computed, signal } from "@preact/signals";

declare const TEXTS: Record<string, Record<string, string>>; // addresses of files, by language and name

export type Messages = typeof import("../messages/en.json");
export type Key = keyof Messages;
// A key without the plural form that ends it: "memory.count" of "memory.count.one" and "memory.count.other".
export type CountKey = Key extends infer K ? (K extends `${infer Base}.other` ? Base : never) : never;
type Values = Record<string, string | number>;

export const languages = Object.keys(TEXTS);
const stored = "agentbox.language";

// The language that was chosen here; empty: the browser's.
export const chosen = signal(localStorage.getItem(stored) ?? "");
const messages = signal<Partial<Messages> | undefined>(undefined);
const files = new Set(["frame"]); // the names of those that pages have asked for

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

const read = async (tag: string, name: string) => ((await import(TEXTS[tag]![name]!)) as { default: Partial<Messages> }).default;

async function load() {
  const wanted = preferred();
  let found: Partial<Messages>[] = [];
  // Again if a page has asked for its texts meanwhile.
  while (found.length < files.size) found = await Promise.all([...files].map((name) => read(wanted, name)));
  messages.value = Object.assign({}, ...found) as Partial<Messages>;
  language.value = wanted;
  document.documentElement.lang = wanted;
}

// Adds the texts of a file, in the language that is chosen when they are there.
export async function loadTexts(name: string): Promise<void> {
  files.add(name);
  const tag = language.peek();
  const found = await read(tag, name);
  if (tag !== language.peek()) return loadTexts(name);
  messages.value = { ...messages.peek(), ...found };
}

export async function chooseLanguage(tag: string) {
  chosen.value = tag;
  if (tag) localStorage.setItem(stored, tag);
  else localStorage.removeItem(stored);
  await loadLanguage();
}

// A page has not loaded the text, which is a fault of the build.
function missing(key: string): string {
  if (messages.value) console.error(`no text for ${key}`);
  return key;
}

// The text of a key, with {placeholders} filled in.
export function t(key: Key, values?: Values): string {
  const text = messages.value?.[key] ?? missing(key);
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
