#include "appliance/hosting/channels/adapters/imap.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/hosting/channels/adapters/sasl.h"
#include "web/ascii.h"

namespace channels {

namespace {

constexpr std::chrono::seconds reply_time{60}, poll_interval{30};
constexpr std::size_t max_literal = 32u << 20, max_replies = 10'000;
constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string imap_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string imap_date(store::Time time) {
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return std::to_string(unsigned(date.day())) + "-" + std::string(month_names.at(unsigned(date.month()) - 1)) + "-" +
         std::to_string(int(date.year()));
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

// The number after a name, as in "RFC822.SIZE 1234".
template <class Number>
std::optional<Number> number_after(std::string_view text, std::string_view name) {
  const auto at = text.find(name);
  return at == text.npos ? std::nullopt : number_in<Number>(text.substr(at + name.size()));
}

bool is_untagged(const ImapReply& reply, std::string_view what) {
  return reply.text.starts_with("* ") && reply.text.find(what) != std::string::npos;
}

// "* 23 EXISTS"
bool says_exists(std::string_view text) {
  return text.starts_with("* ") && web::equal_ignoring_case(text.substr(text.find_last_of(' ') + 1), "EXISTS");
}

// The quoted text after `name`, without its escapes.
std::string quoted_after(std::string_view text, std::string_view name) {
  auto at = text.find(name);
  if (at == text.npos) return {};
  at = text.find('"', at);
  std::string found;
  for (auto i = at == text.npos ? text.size() : at + 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    found += text[i];
  }
  return found;
}

}  // namespace

std::optional<store::Time> imap_time(std::string_view text) {
  text = web::trim(text);
  constexpr std::size_t length = 25;  // of "7-Jul-2026 02:44:25 +0200"
  if (text.size() < length) return std::nullopt;
  const auto dash = text.find('-');
  if (dash == text.npos || dash + 22 > text.size()) return std::nullopt;
  const auto day = number_in<unsigned>(text);
  const auto name = text.substr(dash + 1, 3);
  const auto* month = std::find(month_names.begin(), month_names.end(), name);
  const auto year = number_in<int>(text.substr(dash + 5));
  const auto clock = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
  if (!day || month == month_names.end() || !year || clock.size() < 14) return std::nullopt;
  const auto hours = number_in<int>(clock), minutes = number_in<int>(clock.substr(3)),
             seconds = number_in<int>(clock.substr(6)), zone = number_in<int>(clock.substr(10));
  if (!hours || !minutes || !seconds || !zone) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(*year), std::chrono::month(unsigned(month - month_names.begin()) + 1), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto offset = std::chrono::minutes(*zone / 100 * 60 + *zone % 100) * (clock[9] == '-' ? -1 : 1);
  return std::chrono::sys_days(date) + std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
         std::chrono::seconds(*seconds) - offset;
}

web::Task<web::Result<std::unique_ptr<Imap>>> Imap::open(web::CallOrigin origin, ImapAccount account,
                                                         web::Reach reach) {
  auto server = account.server;
  auto stream = co_await Stream::open(std::move(origin), std::move(server), reach);
  if (!stream) co_return stream.error();
  auto imap = std::make_unique<Imap>(std::move(*stream));
  const auto greeting = co_await imap->read_reply(reply_time);
  if (!greeting) co_return greeting.error();
  if (!web::starts_ignoring_case(greeting->text, "* OK"))
    co_return web::bad_gateway(account.server.host + " refused the connection: " + greeting->text.substr(0, 200));
  auto folder = account.folder;
  const auto authenticated = co_await imap->authenticate(std::move(account));
  if (!authenticated) co_return authenticated.error();
  const auto selected = co_await imap->select(std::move(folder));
  if (!selected) co_return selected.error();
  co_return imap;
}

bool Imap::can(std::string_view capability) const {
  return std::ranges::any_of(capabilities_,
                             [&](const std::string& one) { return web::equal_ignoring_case(one, capability); });
}

// A server may say at any time that there are more messages, or what it can do.
void Imap::note(const ImapReply& reply) {
  if (says_exists(reply.text)) has_changed_ = true;
  auto list = std::string_view(reply.text);
  constexpr std::string_view name = "CAPABILITY ";
  const auto at = list.find(name);
  if (at == list.npos || !list.starts_with("* ")) return;
  list = list.substr(at + name.size());
  list = list.substr(0, list.find(']'));
  capabilities_.clear();
  while (!list.empty()) {
    const auto word = list.substr(0, list.find(' '));
    if (!word.empty()) capabilities_.emplace_back(word);
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
}

web::Task<web::Result<ImapReply>> Imap::read_reply(std::chrono::milliseconds time) {
  ImapReply reply;
  for (;;) {
    auto line = co_await stream_->read_line(time);
    if (!line) co_return line.error();
    const auto brace = line->rfind('{');
    const bool has_literal = line->ends_with('}') && brace != std::string::npos;
    const auto size = has_literal ? number_in<std::size_t>(std::string_view(*line).substr(brace + 1)) : std::nullopt;
    if (!size) {
      reply.text += *line;
      note(reply);
      co_return reply;
    }
    if (*size > max_literal) co_return web::bad_gateway(stream_->server().host + " sent more than was asked for.");
    reply.text += line->substr(0, brace) + "{}";
    auto literal = co_await stream_->read_bytes(*size, reply_time);
    if (!literal) co_return literal.error();
    reply.literals.push_back(std::move(*literal));
  }
}

web::Task<web::Result<std::vector<ImapReply>>> Imap::command(std::string text, std::string what) {
  const auto tag = "A" + std::to_string(++tags_);
  const auto written = co_await stream_->write(tag + " " + text + "\r\n");
  if (!written) co_return written.error();
  std::vector<ImapReply> replies;
  for (;;) {
    auto reply = co_await read_reply(reply_time);
    if (!reply) co_return reply.error();
    if (reply->text.starts_with(tag + " ")) {
      const auto outcome = std::string_view(reply->text).substr(tag.size() + 1);
      if (web::starts_ignoring_case(outcome, "OK")) co_return replies;
      // The server's words may repeat what it was sent; those of a refused password are not shown.
      co_return web::conflict(what + ": " + std::string(outcome.substr(0, 200)));
    }
    if (reply->text.starts_with("+")) {  // it wants the rest of a command that has none
      const auto ended = co_await stream_->write("\r\n");
      if (!ended) co_return ended.error();
      continue;
    }
    if (replies.size() < max_replies) replies.push_back(std::move(*reply));
  }
}

web::Task<web::Result<void>> Imap::authenticate(ImapAccount account) {
  const auto& host = stream_->server().host;
  if (!stream_->is_secure()) {
    const auto asked = co_await command("CAPABILITY", host + " does not say what it can do");
    if (!asked) co_return asked.error();
    if (can("STARTTLS")) {
      const auto begun = co_await command("STARTTLS", host + " does not encrypt the connection");
      if (!begun) co_return begun.error();
      const auto secured = co_await stream_->start_tls();
      if (!secured) co_return secured.error();
    } else if (stream_->must_be_secure()) {
      co_return web::bad_gateway(host + " does not offer an encrypted connection.");
    }
  }
  const auto asked = co_await command("CAPABILITY", host + " does not say what it can do");
  if (!asked) co_return asked.error();
  std::string login = "LOGIN " + imap_quoted(account.user) + " " + imap_quoted(account.password);
  if (can("AUTH=PLAIN") && can("SASL-IR")) {
    login = "AUTHENTICATE PLAIN " + crypto::to_base64(sasl_plain(account.user, account.password));
  }
  const auto accepted = co_await command(std::move(login), "refused");
  if (accepted) {
    const auto more = co_await command("CAPABILITY", host + " does not say what it can do");
    if (!more) co_return more.error();
    co_return web::Result<void>();
  }
  if (accepted.error().kind != web::Kind::conflict) co_return accepted.error();
  if (accepted.error().message.find("[UNAVAILABLE]") != std::string::npos)
    co_return web::bad_gateway(host + " cannot check the password at the moment.");
  co_return web::unauthenticated("The mail server does not accept the user name or the password.");
}

web::Task<web::Result<void>> Imap::select(std::string folder) {
  const auto selected = co_await command("SELECT " + imap_quoted(folder), "The folder " + folder + " cannot be read");
  if (!selected) co_return selected.error();
  for (const auto& reply : *selected)
    if (const auto number = number_after<std::uint32_t>(reply.text, "UIDVALIDITY ")) validity_ = *number;
  has_changed_ = false;
  co_return web::Result<void>();
}

web::Task<web::Result<std::vector<std::uint32_t>>> Imap::unseen(store::Time since) {
  has_changed_ = false;
  const auto day_before = since - std::chrono::days(1);
  const auto found =
      co_await command("UID SEARCH UNSEEN SINCE " + imap_date(day_before), "The mail server does not search");
  if (!found) co_return found.error();
  std::vector<std::uint32_t> uids;
  constexpr std::string_view name = "* SEARCH";
  for (const auto& reply : *found) {
    if (!web::starts_ignoring_case(reply.text, name)) continue;
    auto list = std::string_view(reply.text).substr(name.size());
    while (!list.empty()) {
      list = web::trim(list);
      if (const auto uid = number_in<std::uint32_t>(list)) uids.push_back(*uid);
      list.remove_prefix(std::min(list.find(' '), list.size()));
    }
  }
  std::ranges::sort(uids);
  co_return uids;
}

web::Task<web::Result<Imap::Size>> Imap::size(std::uint32_t uid) {
  const auto found = co_await command("UID FETCH " + std::to_string(uid) + " (RFC822.SIZE INTERNALDATE)",
                                      "The mail server does not describe a mail");
  if (!found) co_return found.error();
  Size size;
  for (const auto& reply : *found) {
    if (!is_untagged(reply, "FETCH")) continue;
    size.bytes = number_after<std::size_t>(reply.text, "RFC822.SIZE ").value_or(0);
    size.arrived = imap_time(quoted_after(reply.text, "INTERNALDATE "));
  }
  co_return size;
}

web::Task<web::Result<std::string>> Imap::body(std::uint32_t uid, std::string section) {
  auto found = co_await command("UID FETCH " + std::to_string(uid) + " (" + section + ")",
                                "The mail server does not send a mail");
  if (!found) co_return found.error();
  for (auto& reply : *found) {
    if (!is_untagged(reply, "BODY[")) continue;
    if (!reply.literals.empty()) co_return std::move(reply.literals.front());
    co_return quoted_after(reply.text, "BODY[");
  }
  co_return web::not_found("The mail is no longer in the mailbox.");
}

web::Task<web::Result<std::string>> Imap::message(std::uint32_t uid, std::size_t max_bytes) {
  return body(uid, "BODY.PEEK[]<0." + std::to_string(max_bytes) + ">");
}

web::Task<web::Result<std::string>> Imap::part(std::uint32_t uid, std::string section) {
  return body(uid, "BODY.PEEK[" + section + "]");
}

web::Task<web::Result<void>> Imap::mark_seen(std::vector<std::uint32_t> uids) {
  std::string set;
  for (const auto uid : uids) set += (set.empty() ? "" : ",") + std::to_string(uid);
  const auto stored =
      co_await command("UID STORE " + set + " +FLAGS.SILENT (\\Seen)", "The mail server does not mark mails as read");
  if (!stored) co_return stored.error();
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Imap::wait(std::chrono::seconds at_most) {
  if (has_changed_) co_return web::Result<void>();
  if (!can("IDLE")) {
    co_await web::sleep_for(std::min(at_most, poll_interval));
    const auto asked = co_await command("NOOP", "The mail server does not answer");
    if (!asked) co_return asked.error();
    co_return web::Result<void>();
  }
  const auto tag = "A" + std::to_string(++tags_);
  const auto begun = co_await stream_->write(tag + " IDLE\r\n");
  if (!begun) co_return begun.error();
  const auto until = std::chrono::steady_clock::now() + at_most;
  bool is_idle = false;
  while (!has_changed_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    auto patience = left;
    if (!is_idle) patience = reply_time;
    const auto reply = co_await read_reply(patience);
    if (!reply && is_idle && reply.error().kind == web::Kind::timeout) break;
    if (!reply) co_return reply.error();
    if (reply->text.starts_with("+")) is_idle = true;
    if (reply->text.starts_with(tag + " ")) {
      is_idle = false;
      break;
    }
    if (web::starts_ignoring_case(reply->text, "* BYE"))
      co_return web::bad_gateway(stream_->server().host + " ended the connection.");
  }
  if (!is_idle) co_return web::Result<void>();
  const auto ended = co_await stream_->write("DONE\r\n");
  if (!ended) co_return ended.error();
  for (;;) {
    const auto reply = co_await read_reply(reply_time);
    if (!reply) co_return reply.error();
    if (reply->text.starts_with(tag + " ")) co_return web::Result<void>();
  }
}

}  // namespace channels
