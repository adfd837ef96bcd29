// A browser that follows redirects and keeps each site's cookies to that site.
export class Browser {
  jars = new Map();

  cookies(origin) {
    if (!this.jars.has(origin)) this.jars.set(origin, new Map());
    return this.jars.get(origin);
  }

  // One request, no redirect followed.
  async get(url, options = {}) {
    const { origin } = new URL(url);
    const jar = this.cookies(origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { ...options, redirect: "manual", headers: { ...(cookie && { cookie }), ...options.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    await answer.arrayBuffer();
    return answer;
  }

  // Follows redirects until a page comes; resolves with all addresses that were visited.
  async visit(url) {
    const way = [url];
    for (let hops = 0; hops < 20; ++hops) {
      const answer = await this.get(way.at(-1));
      const location = answer.headers.get("location");
      if (!location) return way;
      way.push(new URL(location, way.at(-1)).href);
    }
    throw new Error(`too many redirects: ${way.join(" -> ")}`);
  }
}

// Whom the box takes the browser for.
export const session_in = async (browser, box) => {
  const session = browser.cookies(new URL(box.web).origin).get("app-session");
  const answer = await fetch(`${box.web}/api/auth/session`, { headers: session ? { cookie: `app-session=${session}` } : {} });
  return (await answer.json()).user;
};
