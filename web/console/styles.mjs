// Fails the build where two files style the same class by itself: `.sections` of the one once hid the page of the other.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

// Parts of selectors that begin with a class and have no other before it: what a file calls its own.
export function owned_classes(css) {
  const found = new Set();
  const bare = css.replace(/\/\*[\s\S]*?\*\//g, "");
  for (const [, selectors] of bare.matchAll(/(?:^|[{}])\s*([^{}@]+)\{/g))
    for (const selector of selectors.split(",")) {
      const [, name] = /^\s*\.([\w-]+)(?![\w-])/.exec(selector) ?? [];
      if (name) found.add(name);
    }
  return found;
}

export function collisions(folder) {
  const owners = new Map();
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".css")))
    for (const one of owned_classes(readFileSync(join(folder, name), "utf8"))) owners.set(one, [...(owners.get(one) ?? []), name]);
  return [...owners].filter(([, files]) => files.length > 1).map(([name, files]) => `.${name} is styled in ${files.join(" and ")}`);
}
