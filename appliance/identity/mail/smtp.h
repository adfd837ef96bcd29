// One mail by SMTP, over libcurl. Blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace mail {

struct Smtp {
  std::string url;   // smtp://[user:password@]host[:port], or smtps://; empty: there is no mail server
  std::string from;  // the sender's address
};

struct Letter {
  std::string to, subject, body;  // the body's lines end in LF
};

// The sentence that says what went wrong, without secrets; nothing when the server took the mail. Except to a loopback
// address, the connection is encrypted (STARTTLS or TLS) and the server's certificate checked before anything is said.
std::optional<std::string> send(const Smtp&, const Letter&);

// RFC 5322's form of a letter, with CRLF line ends. `date` and `message_id` as their fields have them.
std::string message_text(const Letter&, const std::string& from, const std::string& date,
                         const std::string& message_id);
std::string mail_date(std::chrono::sys_seconds);

}  // namespace mail
