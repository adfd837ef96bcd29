// A mail server on loopback that keeps what it is given; with `refusals` it sends the next ones away.
import { createServer } from "node:net";

export const start_mail_server = async (t) => {
  const started = { mails: [], refusals: 0 };
  const server = createServer((socket) => {
    let rest = "",
      mail,
      is_data = false;
    const say = (line) => socket.write(`${line}\r\n`);
    const line = (text) => {
      if (is_data) {
        if (text !== ".") return void mail.lines.push(text.startsWith(".") ? text.slice(1) : text);
        is_data = false;
        started.mails.push(mail);
        return say("250 kept");
      }
      const verb = text.slice(0, 4).toUpperCase();
      if (verb === "EHLO" || verb === "HELO") return say("250 stories");
      if (verb === "MAIL") return started.refusals-- > 0 ? say("451 not now") : ((mail = { from: text, to: [], lines: [] }), say("250 ok"));
      if (verb === "RCPT") return mail.to.push(text), say("250 ok");
      if (verb === "DATA") return (is_data = true), say("354 go on");
      if (verb === "QUIT") return say("221 bye"), socket.end();
      say("250 ok");
    };
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const lines = (rest + bytes).split("\r\n");
      rest = lines.pop();
      lines.forEach(line);
    });
    say("220 stories ESMTP");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  started.url = `smtp://127.0.0.1:${server.address().port}`;
  return started;
};
