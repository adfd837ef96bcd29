#include "appliance/hosting/channels/adapters/submission.h"

#include <charconv>
#include <memory>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/hosting/channels/adapters/sasl.h"
#include "web/ascii.h"

namespace channels {

namespace {

constexpr std::chrono::seconds smtp_reply_time{60}, smtp_taking_time{300};
constexpr auto refused_password = "The mail server does not accept the user name or the password for sending.";

struct SmtpReply {
  int code = 0;
  std::vector<std::string> lines;  // without the code

  bool is_good() const { return code / 100 == 2 || code / 100 == 3; }
  bool offers(std::string_view extension) const {
    for (const auto& line : lines)
      if (web::starts_ignoring_case(line, extension) &&
          (line.size() == extension.size() || line[extension.size()] == ' '))
        return true;
    return false;
  }
  std::string said() const { return std::to_string(code) + " " + (lines.empty() ? std::string() : lines.front()); }
};

web::Task<web::Result<SmtpReply>> read_reply(Stream& stream, std::chrono::milliseconds time) {
  constexpr std::size_t max_lines = 100;
  SmtpReply reply;
  while (reply.lines.size() < max_lines) {
    const auto line = co_await stream.read_line(time);
    if (!line) co_return line.error();
    const auto [end, failed] = std::from_chars(line->data(), line->data() + line->size(), reply.code);
    if (failed != std::errc() || end != line->data() + 3)
      co_return web::bad_gateway(stream.server().host + " did not answer in SMTP.");
    reply.lines.push_back(line->size() > 4 ? line->substr(4, 300) : std::string());
    if (line->size() < 4 || (*line)[3] != '-') break;
  }
  co_return reply;
}

web::Task<web::Result<SmtpReply>> exchange(Stream& stream, std::string line,
                                           std::chrono::milliseconds time = smtp_reply_time) {
  const auto written = co_await stream.write(line + "\r\n");
  if (!written) co_return written.error();
  auto reading = read_reply(stream, time);
  co_return co_await std::move(reading);
}

web::Task<web::Result<SmtpReply>> greet(Stream& stream) {
  auto greeting = exchange(stream, "EHLO [127.0.0.1]");
  auto reply = co_await std::move(greeting);
  if (reply && !reply->is_good())
    co_return web::bad_gateway(stream.server().host + " refused the greeting: " + reply->said());
  co_return reply;
}

web::Task<web::Result<void>> sign_in_to(Stream& stream, const SmtpReply& offers, const SubmissionAccount& account) {
  std::string mechanisms;
  for (const auto& line : offers.lines)
    if (web::starts_ignoring_case(line, "AUTH ")) mechanisms = " " + web::lower_case(line.substr(5)) + " ";
  const bool is_plain = mechanisms.find(" plain ") != std::string::npos;
  const bool is_login = mechanisms.find(" login ") != std::string::npos;
  const auto& host = stream.server().host;
  if (!is_plain && !is_login) {
    // A server on this machine may know its own.
    if (!stream.must_be_secure()) co_return web::Result<void>();
    co_return web::bad_gateway(host + " does not offer to sign in with a password.");
  }
  std::string first = "AUTH LOGIN";
  if (is_plain) {
    first = "AUTH PLAIN " + crypto::to_base64(sasl_plain(account.user, account.password));
  }
  auto answer = co_await exchange(stream, std::move(first));
  if (answer && !is_plain && answer->code == 334) answer = co_await exchange(stream, crypto::to_base64(account.user));
  if (answer && !is_plain && answer->code == 334)
    answer = co_await exchange(stream, crypto::to_base64(account.password));
  if (!answer) co_return answer.error();
  if (answer->code == 235) co_return web::Result<void>();
  if (answer->code / 100 == 4) co_return web::bad_gateway(host + " cannot check the password at the moment.");
  co_return web::unauthenticated(refused_password);
}

// Connected, encrypted and signed in.
web::Task<web::Result<std::unique_ptr<Stream>>> open_submission(web::CallOrigin origin,
                                                                const SubmissionAccount& account, web::Reach reach) {
  auto server = account.server;
  auto stream = co_await Stream::open(std::move(origin), std::move(server), reach);
  if (!stream) co_return stream.error();
  auto& connection = **stream;
  const auto greeting = co_await read_reply(connection, smtp_reply_time);
  if (!greeting) co_return greeting.error();
  if (!greeting->is_good())
    co_return web::bad_gateway(account.server.host + " refused the connection: " + greeting->said());
  auto offers = co_await greet(connection);
  if (!offers) co_return offers.error();
  if (!connection.is_secure() && offers->offers("STARTTLS")) {
    const auto begun = co_await exchange(connection, "STARTTLS");
    if (!begun) co_return begun.error();
    if (!begun->is_good())
      co_return web::bad_gateway(account.server.host + " does not encrypt the connection: " + begun->said());
    const auto secured = co_await connection.start_tls();
    if (!secured) co_return secured.error();
    offers = co_await greet(connection);
    if (!offers) co_return offers.error();
  }
  if (!connection.is_secure() && connection.must_be_secure())
    co_return web::bad_gateway(account.server.host + " does not offer an encrypted connection.");
  const auto signed_in = co_await sign_in_to(connection, *offers, account);
  if (!signed_in) co_return signed_in.error();
  co_return std::move(*stream);
}

// A line that is a single dot ends the message (RFC 5321, 4.5.2).
std::string with_dots(std::string_view message) {
  std::string text;
  text.reserve(message.size() + message.size() / 64 + 8);
  bool is_start = true;
  for (const char c : message) {
    if (is_start && c == '.') text += '.';
    text += c;
    is_start = c == '\n';
  }
  if (!text.ends_with("\r\n")) text += "\r\n";
  return text + ".\r\n";
}

SendFailure refusal(const SmtpReply& reply) {
  return {.reason = "The mail server answered: " + reply.said(), .is_final = reply.code / 100 == 5};
}

}  // namespace

web::Task<web::Result<void>> check_submission(web::CallOrigin origin, SubmissionAccount account, web::Reach reach) {
  auto opening = open_submission(std::move(origin), account, reach);
  auto stream = co_await std::move(opening);
  if (!stream) co_return stream.error();
  [[maybe_unused]] const auto left = co_await (*stream)->write("QUIT\r\n");
  co_return web::Result<void>();
}

web::Task<SendResult> submit(web::CallOrigin origin, SubmissionAccount account, web::Reach reach, Envelope envelope,
                             std::string message) {
  auto opening = open_submission(std::move(origin), account, reach);
  auto stream = co_await std::move(opening);
  if (!stream) {
    auto failure = failure_of(stream.error(), false);
    failure.is_final = false;  // the owner can replace the password
    co_return failure;
  }
  auto& connection = **stream;
  for (const auto& line : {"MAIL FROM:<" + envelope.from + ">", "RCPT TO:<" + envelope.to + ">", std::string("DATA")}) {
    const auto reply = co_await exchange(connection, line);
    if (!reply) co_return failure_of(reply.error(), false);
    if (!reply->is_good()) co_return refusal(*reply);
  }
  auto text = with_dots(message);
  const auto written = co_await connection.write(std::move(text));
  if (!written) co_return failure_of(written.error(), false);  // without its end
  const auto taken = co_await read_reply(connection, smtp_taking_time);
  if (!taken) co_return failure_of(taken.error(), true);
  if (!taken->is_good()) co_return refusal(*taken);
  [[maybe_unused]] const auto left = co_await connection.write("QUIT\r\n");
  co_return std::move(envelope.id);
}

}  // namespace channels
