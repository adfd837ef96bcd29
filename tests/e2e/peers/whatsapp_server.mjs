// A stand-in for WhatsApp's Cloud API and its webhooks, written from their published description.
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { ChatProvider, form_of } from "./chat_provider.mjs";

const MAX_TEXT = 4096;
const MAX_INTERACTIVE = 1024;
const TYPES =
  /^(text\/plain|application\/(pdf|msword|vnd\.[\w.-]+)|image\/(jpeg|png|webp)|audio\/(aac|mp4|mpeg|amr|ogg)|video\/(mp4|3gpp))$/;

export class WhatsAppServer extends ChatProvider {
  token = "EAAB-system-user-token-of-the-stories";
  app_secret = "0123456789abcdef0123456789abcdef";
  verify_token = "a verify token of the stories";
  number_id = "106540352242922";
  templates = new Map([["agent_message", "en"]]); // approved ones, each with one parameter
  media = new Map(); // by id: {type, content}
  events_url = undefined;
  is_read = []; // ids of messages
  #unsent = Promise.resolve();

  // As Meta does it before it sends events.
  async verify(token = this.verify_token) {
    const query = new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "1158201444" });
    const answer = await fetch(`${this.events_url}?${query}`);
    return [answer.status, await answer.text()];
  }
  post(body, { secret = this.app_secret, signature } = {}) {
    const text = JSON.stringify(body);
    const signed = createHmac("sha256", secret).update(text).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": signature ?? `sha256=${signed}` };
    return fetch(this.events_url, { method: "POST", headers, body: text });
  }
  event(value, phone_number_id = this.number_id) {
    const metadata = { display_phone_number: "15550783881", phone_number_id };
    const change = { field: "messages", value: { messaging_product: "whatsapp", metadata, ...value } };
    return { object: "whatsapp_business_account", entry: [{ id: "0", changes: [change] }] };
  }
  // In the order in which they are written; tried again until they are taken, as Meta does it.
  send(value) {
    const again = async () => {
      const { status } = await this.post(this.event(value));
      if (status !== 200) this.faults.push(`an event was answered ${status}`);
    };
    this.#unsent = this.#unsent.then(again);
    return again;
  }
  write({ from, text, file }) {
    const message = { from, id: `wamid.${randomUUID()}`, timestamp: String(Math.floor(Date.now() / 1000)) };
    if (file) {
      const id = String(900_000 + this.media.size);
      this.media.set(id, { type: "text/plain", content: Buffer.from(file.content) });
      Object.assign(message, {
        type: "document",
        document: { id, filename: file.name, mime_type: "text/plain", sha256: "x", caption: text },
      });
    } else {
      Object.assign(message, { type: "text", text: { body: text } });
    }
    return this.send({ contacts: [{ wa_id: from, profile: { name: `Person ${from}` } }], messages: [message] });
  }
  press({ from, id }) {
    const interactive = { type: "button_reply", button_reply: { id, title: "x" } };
    const message = { from, id: `wamid.${randomUUID()}`, timestamp: "1", type: "interactive", interactive, context: { id: "wamid.x" } };
    return this.send({ contacts: [], messages: [message] });
  }
  report(message, status, errors) {
    const { id, chat: recipient_id, key: biz_opaque_callback_data } = message;
    return this.send({ statuses: [{ id, status, timestamp: "1", recipient_id, biz_opaque_callback_data, ...(errors && { errors }) }] });
  }

  answer({ request, response, bytes, url, send, method, path }) {
    const refuse = (status, code, message, details) =>
      send(status, {
        error: {
          message,
          type: "OAuthException",
          code,
          ...(details && { error_data: { messaging_product: "whatsapp", details } }),
          fbtrace_id: "A",
        },
      });
    if (request.headers.authorization !== `Bearer ${this.token}` || this.is_revoked)
      return refuse(401, 190, "Error validating access token: The session has been invalidated.");
    if (path.startsWith("/content/")) return send(200, this.media.get(path.slice("/content/".length)).content);
    if (method === "GET" && path === `/${this.number_id}`) {
      assert.match(url.searchParams.get("fields"), /display_phone_number/);
      return send(200, { display_phone_number: "+1 555-078-3881", verified_name: "Scout", id: this.number_id });
    }
    if (method === "GET" && this.media.has(path.slice(1))) {
      const { type, content } = this.media.get(path.slice(1));
      return send(200, {
        messaging_product: "whatsapp",
        url: `${this.url}/content${path}`,
        mime_type: type,
        sha256: "x",
        file_size: content.length,
        id: path.slice(1),
      });
    }
    assert.equal(method, "POST");
    if (path === `/${this.number_id}/media`) {
      const form = form_of(bytes, request.headers["content-type"]);
      assert.equal(form.messaging_product, "whatsapp");
      if (!TYPES.test(form.type)) return refuse(400, 100, "Param file must be a file with one of the following types");
      assert.equal(form.file.type, form.type);
      const id = String(700_000 + this.media.size);
      this.media.set(id, { type: form.type, content: form.file.content });
      return send(200, { id });
    }
    assert.equal(path, `/${this.number_id}/messages`);
    const given = JSON.parse(bytes);
    assert.equal(given.messaging_product, "whatsapp");
    if (given.status === "read") {
      assert.ok(given.message_id.startsWith("wamid.") && given.typing_indicator.type === "text");
      this.is_read.push(given.message_id);
      return send(200, { success: true });
    }
    if (this.refuses_message(send)) return;
    assert.match(given.to, /^\d+$/);
    assert.ok(given.biz_opaque_callback_data === undefined || given.biz_opaque_callback_data.length <= 512);
    const message = { id: `wamid.${randomUUID()}`, chat: given.to, type: given.type, key: given.biz_opaque_callback_data, at: Date.now() };
    this.#read(given, message);
    this.messages.push(message);
    if (this.loses_answer(response)) return;
    send(200, { messaging_product: "whatsapp", contacts: [{ input: given.to, wa_id: given.to }], messages: [{ id: message.id }] });
    if (!this.is_silent) this.report(message, "delivered");
  }
  #read(given, message) {
    switch (given.type) {
      case "text":
        message.text = given.text.body;
        assert.ok(message.text.length >= 1 && message.text.length <= MAX_TEXT, `body has ${message.text.length} characters`);
        break;
      case "interactive": {
        const { type, body, action } = given.interactive;
        assert.ok(type === "button" && body.text.length >= 1 && body.text.length <= MAX_INTERACTIVE);
        assert.ok(action.buttons.length >= 1 && action.buttons.length <= 3);
        message.text = body.text;
        message.buttons = action.buttons.map(({ type, reply }) => {
          assert.ok(type === "reply" && reply.title.length <= 20 && reply.id.length <= 256);
          return { label: reply.title, data: reply.id };
        });
        break;
      }
      case "template": {
        const { name, language, components } = given.template;
        assert.equal(this.templates.get(name), language.code, "the template is approved");
        const [{ type, parameters }] = components;
        assert.ok(type === "body" && parameters.length === 1 && parameters[0].type === "text");
        assert.doesNotMatch(parameters[0].text, /[\n\t]| {4}/, "parameters are one line");
        assert.ok(parameters[0].text.length <= 1024);
        Object.assign(message, { text: parameters[0].text, template: name });
        break;
      }
      case "document":
      case "image":
      case "audio": {
        const { id, filename } = given[given.type];
        const { content } = this.media.get(id);
        message.file = { name: filename, content: content.toString() };
        break;
      }
      default:
        assert.fail(`a message of type ${given.type}`);
    }
  }
}
