// Light, dark, or as the system has it. The choice is an attribute of the page, which first_paint.ts sets before anything
// is drawn.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
export const themes: Theme[] = ["system", "light", "dark"];

const stored = "agentbox.theme";

export const theme = signal<Theme>((document.documentElement.dataset.theme as Theme | undefined) ?? "system");

export function chooseTheme(wanted: Theme) {
  theme.value = wanted;
  if (wanted === "system") {
    localStorage.removeItem(stored);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(stored, wanted);
    document.documentElement.dataset.theme = wanted;
  }
}
