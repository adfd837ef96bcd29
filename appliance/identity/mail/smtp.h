// Sends one mail by SMTP, with libcurl. Blocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace mail {

struct Smtp {
  std::string url;   // smtp://[user:password@]host[:port], or smtps://; empty: no mail server
  std::string from;  // the sender's address
};

struct Letter {
  std::string to, subject, body;  // the body's lines end in LF
};

// The error message, without secrets; nothing if the server accepted the mail. Except to a loopback address, the
// connection is encrypted (STARTTLS or TLS) and the server's certificate is verified.
std::optional<std::string> send(const Smtp&, const Letter&);

// The letter in the form of RFC 5322, with CRLF line ends. `date` and `message_id` are the values of their fields.
std::string message_text(const Letter&, const std::string& from, const std::string& date,
                         const std::string& message_id);
std::string mail_date(std::chrono::sys_seconds);

}  // namespace mail
