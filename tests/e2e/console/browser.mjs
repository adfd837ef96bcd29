// The language of the console's stories: a person at a real browser, whose page may not misbehave in silence.
import assert from "node:assert/strict";
import { PASSWORD, until } from "../support/box.mjs";
import { package_named } from "../support/packages.mjs";

const { chromium } = package_named("playwright-core");
const { source: axe } = package_named("axe-core");

// Names that try to become markup, or to turn the text around them.
export const HOSTILE = `<img src=x onerror="document.title='mine'"><b>bold</b> \u202Egnp.exe \u2066abc\u200b`;

export const DESKTOP = { width: 1200, height: 760 },
  PHONE = { width: 390, height: 844 };

// A headless Chromium that is closed when the test ends.
export const open_browser = async (t) => {
  const browser = await chromium.launch({
    executablePath: process.env.AGENTBOX_CHROMIUM ?? "/usr/bin/chromium",
    args: process.getuid() === 0 ? ["--no-sandbox"] : [],
  });
  t.after(() => browser.close());
  return browser;
};

// A person with a browser profile of their own. What goes wrong inside the page becomes a fault; a story that provokes
// one says so in `expected`, as text of the browser's complaint.
export class Person {
  expected = [];
  #faults = [];

  static async at(browser, box, { viewport = DESKTOP, locale = "en-GB", deviceScaleFactor = 1 } = {}) {
    const person = new Person();
    person.box = box;
    person.context = await browser.newContext({ viewport, deviceScaleFactor, locale, timezoneId: "Europe/Berlin", baseURL: box.web });
    // Complaints of the content policy reach the console as errors too; this names the directive.
    await person.context.exposeFunction("report_violation", (what) => person.#faults.push(`content policy: ${what}`));
    await person.context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) =>
        window.report_violation(`${event.effectiveDirective} ${event.blockedURI}`),
      );
    });
    await person.#open_page();
    return person;
  }

  async #open_page() {
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(20_000);
    this.page.on("pageerror", (error) => this.#faults.push(`exception: ${error.message}`));
    this.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()))
        this.#faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
    });
  }

  // The same person at another tab of the same browser. Its faults are the person's.
  async another_tab(path) {
    const tab = new Person();
    tab.box = this.box;
    tab.context = this.context;
    tab.#faults = this.#faults;
    await tab.#open_page();
    await tab.page.goto(path);
    return tab;
  }

  // What must hold at the end of a story. The stream of events breaks with its session or the box, as it should, and the
  // browser breaks what it reads when another story adds a network interface to the machine.
  check() {
    const is_end_of_events = (fault) => /net::ERR_|status of 40[13]/.test(fault) && fault.includes("/api/events");
    const is_the_machines = (fault) => fault.includes("net::ERR_NETWORK_CHANGED");
    const faults = this.#faults.filter(
      (fault) => !is_end_of_events(fault) && !is_the_machines(fault) && !this.expected.some((text) => fault.includes(text)),
    );
    assert.deepEqual(faults, [], "the page did nothing wrong");
  }

  async sign_in(email, password = PASSWORD) {
    await this.page.goto("/login");
    await this.label("E-mail").fill(email);
    await this.label("Password").fill(password);
    await this.button("Sign in").click();
  }

  // Signed in, and looking at the dashboard.
  async enter(email, password = PASSWORD) {
    await this.sign_in(email, password);
    await this.page.waitForURL("**/dashboard*");
    await this.heading("Home").waitFor();
  }

  // On a phone the sidebar is behind a button.
  async #open_sidebar() {
    const menu = this.page.locator(".drawer-button").first();
    await menu.waitFor({ state: "attached" }); // a page that is still loading has no frame
    if (await menu.isVisible()) await menu.click();
  }

  // A page by its row in the sidebar.
  async to_section(name) {
    await this.#open_sidebar();
    await this.page.locator(".sidebar").getByRole("link", { name, exact: true }).click();
  }

  // The menu of the user's own: its pages, and the way out.
  async own_menu() {
    await this.#open_sidebar();
    await this.page.locator(".self").click();
    return this.page.locator(".menu-list:not([hidden])");
  }
  async own_page(name) {
    await (await this.own_menu()).getByRole("link", { name, exact: true }).click();
  }
  async sign_out(words = "Sign out") {
    await (await this.own_menu()).getByRole("button", { name: words, exact: true }).click();
    await this.page.waitForURL(({ pathname }) => pathname === "/"); // another address now would break the request off
  }

  // One of the actions in the menu of a thing.
  async in_menu(menu, action) {
    await this.button(menu).click();
    await this.page.locator(".menu-list:not([hidden])").getByText(action, { exact: true }).click();
  }

  async stop_agent() {
    await this.button("Stop the agent").click();
    await this.button("Stop it").click();
    await this.dialog.waitFor({ state: "detached" });
  }

  label(name) {
    return this.page.getByLabel(name, { exact: true });
  }
  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }
  // Of the page itself, not of the frame around it.
  link(name) {
    return this.page.locator(":is(main, dialog, .open-head)").getByRole("link", { name });
  }
  // The agent of this name, on the home page.
  card(name) {
    return this.page.locator(".cards.agents").getByRole("link", { name, exact: true });
  }
  heading(name) {
    return this.page.getByRole("heading", { name, exact: true });
  }
  text(words) {
    return this.page.getByText(words);
  }
  // The sentence that says what went wrong.
  get alert() {
    return this.page.getByRole("alert");
  }
  get dialog() {
    return this.page.getByRole("dialog");
  }
  get log() {
    return this.page.getByRole("log");
  }

  async create_agent(name) {
    await this.button("New agent").click();
    await this.label("Name").fill(name);
    await this.button("Create the agent").click();
    await this.dialog.waitFor({ state: "detached" }).catch(async (error) => {
      throw new Error(`the dialog stays, saying: ${await this.dialog.innerText()}`, { cause: error });
    });
  }

  // Until the chosen agent's panel says `status`, by itself: the page is not reloaded.
  async sees_status(status) {
    await this.page.getByRole("main").locator(".panel .panel-head .status", { hasText: status }).waitFor();
  }

  async say(message) {
    const draft = this.page.getByRole("textbox", { name: /^Message to / });
    await draft.fill(message);
    await draft.press("Enter");
  }

  // What was said, as it stands on the screen: [who, words], oldest first.
  said() {
    return this.log.evaluate((log) =>
      [...log.querySelectorAll("article")].map((article) => [
        article.querySelector("strong").innerText,
        article.querySelector(".words, .markdown").innerText,
      ]),
    );
  }

  async tab_to(name) {
    const passed = [];
    for (let step = 0; step < 40; ++step) {
      const [here, title] = await this.page.evaluate(() => {
        const element = document.activeElement;
        return [element.ariaLabel ?? element.labels?.[0]?.innerText ?? element.innerText ?? "", element.title];
      });
      if (here.trim() === name || title === name) return;
      passed.push(here.trim().slice(0, 40));
      await this.page.keyboard.press("Tab");
    }
    assert.fail(`the Tab key does not lead to ${name}; it passed ${JSON.stringify(passed)}`);
  }

  // One of the other pages of the agent on the screen.
  async opens(tab) {
    await this.page.getByRole("navigation", { name: "Pages of the agent" }).getByRole("link", { name: tab, exact: true }).click();
  }

  // What axe-core finds wrong with the page as it is now, in both colour schemes: nothing.
  async is_accessible(schemes = ["light", "dark"]) {
    if (!(await this.page.evaluate(() => "axe" in window))) await this.page.evaluate(axe);
    for (const scheme of schemes) {
      await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const found = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const violations = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
      assert.deepEqual(violations, [], `${this.page.url()}, ${scheme}`);
    }
  }

  // What every page must be once it shows what it has: in light on a desk, in dark on a phone.
  async is_sound() {
    const before = this.page.viewportSize();
    await until(`${this.page.url()} loaded`, async () => (await this.page.getByText("Loading…", { exact: true }).count()) === 0);
    for (const [viewport, scheme] of [
      [DESKTOP, "light"],
      [PHONE, "dark"],
    ]) {
      await this.page.setViewportSize(viewport);
      await this.is_accessible([scheme]);
      await this.fits_the_screen();
    }
    assert.equal(await this.page.locator("main img, main b").count(), 0, "names are no markup");
    assert.notEqual(await this.page.title(), "mine");
    await this.page.setViewportSize(before);
  }

  async fits_the_screen() {
    const { wide, seen } = await this.page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      seen: document.documentElement.clientWidth,
    }));
    assert.ok(wide <= seen, `${this.page.url()} is ${wide} pixels wide on a screen of ${seen}`);
  }
}
