// A site on loopback whose answers are a function of the story.
import { createServer } from "node:http";

// `answer({method, url, headers, text, bytes})` returns {status = 200, headers, json, body}, or nothing for 404.
export const serve_site = async (t, answer) => {
  const site = { requests: [], answer };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const asked = {
      method: request.method,
      url: new URL(request.url, site.url),
      headers: request.headers,
      text: Buffer.concat(parts).toString(),
      bytes: Buffer.concat(parts),
    };
    site.requests.push(asked);
    const { status = 200, headers = {}, json, body = "" } = (await site.answer(asked)) ?? { status: 404 };
    response.writeHead(status, { ...(json !== undefined && { "content-type": "application/json" }), ...headers });
    response.end(json === undefined ? body : JSON.stringify(json));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.url = `http://127.0.0.1:${server.address().port}`;
  return site;
};
