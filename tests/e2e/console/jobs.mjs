// What the stories of jobs share: both screens, and a person whose clicks are counted.
import assert from "node:assert/strict";
import { PHONE } from "./browser.mjs";

export const SCREENS = { "a desk": { width: 1440, height: 900 }, "a phone": PHONE };
// On a phone the sidebar costs a click.
export const drawer = (viewport) => (viewport === PHONE ? 1 : 0);

// Counts every click of the mouse on the page, and says so when there are more than the job may take.
export const counting = async (person) => {
  await person.page.exposeFunction("count_click", () => ++person.clicks);
  await person.page.addInitScript(() =>
    document.addEventListener("click", (event) => event.isTrusted && event.detail > 0 && window.count_click(), true),
  );
  person.clicks = 0;
  person.job = async (name, most, work) => {
    person.clicks = 0;
    await work();
    assert.ok(person.clicks <= most, `${name}: ${person.clicks} clicks, ${most} at most`);
  };
};
