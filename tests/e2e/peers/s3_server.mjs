// A stand-in for an object store with the API of S3: objects of one bucket, reached by presigned requests whose
// signatures AWS's own library checks.
import { once } from "node:events";
import { createServer } from "node:http";
import { package_named } from "../support/packages.mjs";

const { SignatureV4 } = package_named("@smithy/signature-v4");
const { Sha256 } = package_named("@aws-crypto/sha256-js");

const BUCKET = "videos-of-the-box",
  ACCESS_KEY = { accessKeyId: "AKIAOFTHESTORIES", secretAccessKey: "the secret/key+of the stories" };
const REGION = "eu-central-1",
  UNSIGNED = "x-amz-content-sha256";
const signer = new SignatureV4({ service: "s3", region: REGION, credentials: ACCESS_KEY, sha256: Sha256, uriEscapePath: false });

const time_of = (text) => new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

// Why a request is refused, in S3's codes.
const problem_of = async ({ method, url, host }) => {
  const given = Object.fromEntries(url.searchParams);
  if (!given["X-Amz-Signature"]) return "AccessDenied";
  const signingDate = time_of(given["X-Amz-Date"]),
    expiresIn = Number(given["X-Amz-Expires"]);
  if (!(Date.now() < signingDate.getTime() + expiresIn * 1_000)) return "AccessDenied";
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith("X-Amz-")));
  const request = {
    method,
    protocol: "http:",
    hostname: url.hostname,
    path: url.pathname,
    query: own,
    headers: { host, [UNSIGNED]: "UNSIGNED-PAYLOAD" },
  };
  const unsigned = new Set([UNSIGNED]);
  const { query } = await signer.presign(request, { expiresIn, signingDate, unsignableHeaders: unsigned, unhoistableHeaders: unsigned });
  return query["X-Amz-Signature"] === given["X-Amz-Signature"] && query["X-Amz-Credential"] === given["X-Amz-Credential"]
    ? undefined
    : "SignatureDoesNotMatch";
};

const PAGE = 50; // names in an answer; S3 returns 1,000

export class S3 {
  objects = new Map(); // by path: {type, content}
  is_down = false; // connections are reset

  static async start(t) {
    const store = new S3();
    const server = createServer((request, response) => void store.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    store.url = `http://127.0.0.1:${server.address().port}`;
    store.bucket = `${store.url}/${BUCKET}`;
    return store;
  }

  settings() {
    return {
      VIDEO_S3_ENDPOINT: this.url,
      VIDEO_S3_BUCKET: BUCKET,
      VIDEO_S3_REGION: REGION,
      VIDEO_S3_ACCESS_KEY_ID: ACCESS_KEY.accessKeyId,
      VIDEO_S3_SECRET_ACCESS_KEY: ACCESS_KEY.secretAccessKey,
    };
  }

  // A box's settings for a standby in the bucket.
  standby_settings() {
    return {
      STANDBY_S3_ENDPOINT: this.url,
      STANDBY_S3_BUCKET: BUCKET,
      STANDBY_S3_FOLDER: "boxes/first",
      STANDBY_S3_REGION: REGION,
      STANDBY_S3_ACCESS_KEY_ID: ACCESS_KEY.accessKeyId,
      STANDBY_S3_SECRET_ACCESS_KEY: ACCESS_KEY.secretAccessKey,
    };
  }

  // ListObjectsV2.
  #list(url, response) {
    const of_bucket = `/${BUCKET}/`,
      prefix = url.searchParams.get("prefix") ?? "",
      after = url.searchParams.get("start-after") ?? "";
    const keys = [...this.objects.keys()].filter((path) => path.startsWith(of_bucket)).map((path) => path.slice(of_bucket.length));
    const found = keys.filter((key) => key.startsWith(prefix) && key > after).toSorted();
    const page = found.slice(0, PAGE).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    response
      .writeHead(200, { "content-type": "application/xml" })
      .end(`<ListBucketResult><IsTruncated>${found.length > PAGE}</IsTruncated>${page.join("")}</ListBucketResult>`);
  }

  async #answer(request, response) {
    if (this.is_down) return request.socket.destroy();
    const parts = [];
    for await (const part of request) parts.push(part);
    const url = new URL(request.url, this.url);
    const refuse = (status, code) =>
      response.writeHead(status, { "content-type": "application/xml" }).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    const problem = await problem_of({ method: request.method, url, host: request.headers.host });
    if (problem) return refuse(403, problem);
    if (url.searchParams.get("list-type") === "2" && url.pathname === `/${BUCKET}`) return this.#list(url, response);
    if (request.method === "PUT") {
      this.objects.set(url.pathname, { type: request.headers["content-type"], content: Buffer.concat(parts) });
      return response.writeHead(200).end();
    }
    const found = this.objects.get(url.pathname);
    if (!found) return refuse(404, "NoSuchKey");
    if (request.method === "DELETE") {
      this.objects.delete(url.pathname);
      return response.writeHead(204).end();
    }
    response.writeHead(200, { "content-type": found.type }).end(found.content);
  }
}
