// A mail server on loopback that keeps what it is given; with `refusals` it sends the next ones away. With
// `certificate` ({key, cert}) it offers STARTTLS and listens at 127.0.0.2, which is no address of the machine's own to
// a box: it must encrypt. `said` holds every line that came unencrypted.
import { createServer } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";

export const start_mail_server = async (t, { certificate, host = certificate ? "127.0.0.2" : "127.0.0.1" } = {}) => {
  const started = { mails: [], refusals: 0, said: [] };

  // One conversation over a socket, from EHLO on; `is_safe` once it is encrypted.
  const converse = (socket, is_safe) => {
    let rest = "",
      mail,
      is_data = false;
    const say = (line) => socket.write(`${line}\r\n`);
    const encrypt = () => {
      socket.removeAllListeners("data");
      say("220 go on");
      const safe = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
      safe.on("error", () => {});
      converse(safe, true);
    };
    const line = (text) => {
      if (!is_safe) started.said.push(text);
      if (is_data) {
        if (text !== ".") return void mail.lines.push(text.startsWith(".") ? text.slice(1) : text);
        is_data = false;
        started.mails.push(mail);
        return say("250 kept");
      }
      const verb = text.slice(0, 4).toUpperCase();
      if (verb === "EHLO" || verb === "HELO") return say(certificate && !is_safe ? "250-stories\r\n250 STARTTLS" : "250 stories");
      if (verb === "STAR" && certificate && !is_safe) return encrypt();
      if (verb === "MAIL") return started.refusals-- > 0 ? say("451 not now") : ((mail = { from: text, to: [], lines: [] }), say("250 ok"));
      if (verb === "RCPT") return (mail.to.push(text), say("250 ok"));
      if (verb === "DATA") return ((is_data = true), say("354 go on"));
      if (verb === "QUIT") return (say("221 bye"), socket.end());
      say("250 ok");
    };
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const lines = (rest + bytes).split("\r\n");
      rest = lines.pop();
      lines.forEach(line);
    });
  };

  const server = createServer((socket) => {
    converse(socket, false);
    socket.write("220 stories ESMTP\r\n");
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  t.after(() => server.close());
  started.url = `smtp://${host}:${server.address().port}`;
  return started;
};
