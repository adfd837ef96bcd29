// Pictures of pages that do not depend on when and where they are taken, and how much two of them differ.
import assert from "node:assert/strict";

// Half the size: what moves, vanishes or changes its colour is seen all the same.
export const SCALE = 0.5;

// On the page: what differs from run to run says the same in each.
const mask = () => {
  for (const time of document.querySelectorAll("time")) time.textContent = "then";
  // The colour of an agent's face follows its random id; a user's follows a number.
  for (const face of document.querySelectorAll(".avatar"))
    if (face.textContent === "SC") face.className = face.className.replace(/\btint-\d\b/, "tint-4");
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const masked = node.data
      .replace(/\b(?:ag|sk|msg|task)_[\w-]+/g, "id")
      .replace(/\bscout-\w+/g, "scout")
      .replace(/\b(?:\d+ (?:second|minute|hour)s? ago|now)\b/g, "then")
      .replace(/\b(?:January|February|March|April|May|June|July|August|September|October|November|December) (?=\d)/g, "Month ")
      .replace(/\b(\d+) (?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b/g, "$1 Mon")
      .replace(/\d+([.,:]\d+)*/g, "0");
    if (masked !== node.data) node.data = masked;
  }
};

export const take = async (page) => {
  await page.evaluate(mask);
  return page.screenshot({ type: "png", scale: "device", animations: "disabled", caret: "hide" });
};

// In a page of its own, whose canvas reads and writes pictures.
export class Comparer {
  #page;

  static async open(browser) {
    const comparer = new Comparer();
    comparer.#page = await browser.newPage();
    await comparer.#page.evaluate(() => {
      window.pixels_of = async (type, base64) => {
        const image = await createImageBitmap(await (await fetch(`data:${type};base64,${base64}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(image, 0, 0);
        return { canvas, width: image.width, height: image.height, data: context.getImageData(0, 0, image.width, image.height).data };
      };
    });
    return comparer;
  }

  // WebP, which is a fifth of the size of PNG here.
  async small(png) {
    const base64 = await this.#page.evaluate(async (bytes) => {
      const { canvas } = await window.pixels_of("image/png", bytes);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.92 });
      return new Promise((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.split(",")[1]);
        reader.readAsDataURL(blob);
      });
    }, png.toString("base64"));
    return Buffer.from(base64, "base64");
  }

  // The share of pixels that differ by more than the compression explains; 1 for pictures of different sizes.
  async difference(webp, png) {
    const share = await this.#page.evaluate(
      async ([kept, now]) => {
        const [a, b] = [await window.pixels_of("image/webp", kept), await window.pixels_of("image/png", now)];
        if (a.width !== b.width || a.height !== b.height) return 1;
        let differing = 0;
        for (let at = 0; at < a.data.length; at += 4) {
          const of_channel = (channel) => Math.abs(a.data[at + channel] - b.data[at + channel]);
          if (Math.max(of_channel(0), of_channel(1), of_channel(2)) > 64) ++differing;
        }
        return differing / (a.width * a.height);
      },
      [webp.toString("base64"), png.toString("base64")],
    );
    assert.ok(Number.isFinite(share));
    return share;
  }
}
