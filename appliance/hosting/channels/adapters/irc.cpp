#include "appliance/hosting/channels/adapters/irc.h"

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/sasl.h"
#include "summarizer/charset.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/log.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr std::array<std::uint16_t, 3> irc_secure{6697, 7000, 9999};
constexpr std::array<std::uint16_t, 1> irc_others{6667};
constexpr ServerPorts irc_ports{6697, irc_secure, irc_others};
constexpr std::chrono::seconds irc_step_time{30}, irc_silence{60}, irc_answer_time{30};
// Servers end the connection of those who say more: a few lines at once, and then one for each pause.
constexpr std::chrono::milliseconds line_price{500};
constexpr int lines_at_once = 8;
constexpr std::size_t max_line_text = 350;  // of 512 bytes, with what the server puts before it
constexpr std::size_t max_irc_channels = 20;
constexpr auto irc_refused = "The IRC server does not accept the name or the password.";
constexpr std::string_view irc_commands[] = {"!new", "!stop", "!status", "!model", "!help"};

std::string irc_option(const Channel& channel, std::string_view name) {
  return std::string(web::trim(web::string_member(channel.options, name), web::white_space));
}

std::vector<std::string> channel_names(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    const auto begin = text.find_first_not_of(", \t\r\n");
    if (begin == text.npos) return names;
    text.remove_prefix(begin);
    const auto name = text.substr(0, text.find_first_of(", \t\r\n"));
    names.push_back(web::lower_case(name));
    text.remove_prefix(name.size());
  }
}

bool is_channel_name(std::string_view name) {
  return name.size() > 1 && name.size() <= 50 && (name[0] == '#' || name[0] == '&') && name.find('\a') == name.npos &&
         name.find(':') == name.npos;
}

bool is_nickname(std::string_view name) {
  return !name.empty() && name.size() <= 30 && !web::is_digit(name[0]) && name[0] != '-' &&
         std::ranges::all_of(name, [](char c) {
           return web::is_alphanumeric(c) || std::string_view("-_[]\\`^{}|").find(c) != std::string_view::npos;
         });
}

std::string nick_of(std::string_view source) { return std::string(source.substr(0, source.find('!'))); }

// Without colours and the like.
std::string without_formats(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\x03') {
      const auto digits = [&] {
        for (int i = 0; i < 2 && at + 1 < text.size() && web::is_digit(text[at + 1]); ++i) ++at;
      };
      digits();
      if (at + 2 < text.size() && text[at + 1] == ',' && web::is_digit(text[at + 2])) {
        ++at;
        digits();
      }
    } else if (static_cast<unsigned char>(c) >= ' ' || c == '\t') {
      plain += c;
    }
  }
  return plain;
}

// Lines that fit, without blank ones.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto line = without_formats(web::first_line(text));
    text.remove_prefix(std::min(web::first_line(text).size() + 1, text.size()));
    for (auto rest = std::string_view(line); !web::trim(rest).empty();) {
      const auto piece = web::utf8_prefix(rest, max_line_text);
      if (piece.empty()) break;
      lines.emplace_back(piece);
      rest.remove_prefix(piece.size());
    }
  }
  return lines;
}

std::string tag_value(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      value += text[at];
      continue;
    }
    const char c = text[++at];
    value += c == ':' ? ';' : c == 's' ? ' ' : c == 'r' ? '\r' : c == 'n' ? '\n' : c;
  }
  return value;
}

}  // namespace

IrcLine read_irc_line(std::string_view text) {
  IrcLine line;
  const auto word = [&] {
    const auto found = text.substr(0, text.find(' '));
    text.remove_prefix(found.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return found;
  };
  if (text.starts_with('@')) {
    auto tags = word().substr(1);
    while (!tags.empty()) {
      const auto tag = tags.substr(0, tags.find(';'));
      tags.remove_prefix(std::min(tag.size() + 1, tags.size()));
      const auto equals = tag.find('=');
      line.tags.emplace(tag.substr(0, equals), equals == tag.npos ? std::string() : tag_value(tag.substr(equals + 1)));
    }
  }
  if (text.starts_with(':')) line.source = word().substr(1);
  line.command = word();
  while (!text.empty()) {
    if (text.starts_with(':')) {
      line.parameters.emplace_back(text.substr(1));
      break;
    }
    line.parameters.emplace_back(word());
  }
  return line;
}

web::Result<void> Irc::check(const Channel& channel, const AdapterSettings& settings) {
  const auto server = server_address("server", irc_option(channel, "server"), irc_ports, settings.user_reach);
  if (!server) return server.error();
  if (server->encryption == Encryption::by_command)
    return web::invalid("server must have a port with TLS, such as 6697, or tls:// before its name");
  if (!is_nickname(irc_option(channel, "nickname")))
    return web::invalid("nickname must be one of IRC: letters, digits and -_[]\\`^{}|, at most 30");
  const auto names = channel_names(irc_option(channel, "channels"));
  if (names.size() > max_irc_channels || !std::ranges::all_of(names, is_channel_name))
    return web::invalid("channels must be at most 20 names of channels, such as #agents");
  const auto password = secret_of(channel, "token");
  if (password.find_first_of("\r\n") != std::string::npos || password.find('\0') != std::string::npos)
    return web::invalid("token must be a password, one line");
  return {};
}

Irc::Irc(const Channel& channel, const AdapterSettings& settings)
    : user_(irc_option(channel, "user").empty() ? irc_option(channel, "nickname") : irc_option(channel, "user")),
      password_(secret_of(channel, "token")),
      wanted_nickname_(irc_option(channel, "nickname")),
      channels_(channel_names(irc_option(channel, "channels"))),
      server_([&] {
        const auto server = server_address("server", irc_option(channel, "server"), irc_ports, settings.user_reach);
        return server ? *server : ServerAddress();
      }()),
      origin_(origin_of(channel)),
      reach_(settings.user_reach),
      traits_{.format = Format::plain,
              .text = {.length = max_line_text, .in_bytes = true},
              .max_file_bytes = 0,
              .pace = std::chrono::milliseconds(0)},
      nickname_(wanted_nickname_) {}

// Answers the server's own questions.
web::Task<web::Result<IrcLine>> Irc::next_line(std::chrono::milliseconds time) {
  for (;;) {
    auto text = co_await stream_->read_line(time);
    if (!text) co_return text.error();
    if (!web::is_utf8(*text)) *text = summarizer::to_utf8(*text, "WINDOWS-1252");
    auto line = read_irc_line(*text);
    if (line.command == "PING") {
      const auto answered = co_await say("PONG :" + line.parameter(0));
      if (!answered) co_return answered.error();
      continue;
    }
    if (line.command == "ERROR") {
      const auto why = line.parameter(0);
      if (web::lower_case(why).find("password") != std::string::npos) co_return web::unauthenticated(irc_refused);
      co_return web::bad_gateway(server_.host + " ended the connection: " + why.substr(0, 200));
    }
    co_return line;
  }
}

// What the server offers; nothing from one that does not know the question.
web::Task<web::Result<std::string>> Irc::capabilities() {
  const auto asked = co_await say("CAP LS 302");
  if (!asked) co_return asked.error();
  std::string offered;
  for (;;) {
    const auto line = co_await next_line(std::chrono::seconds(10));
    if (!line && line.error().kind == web::Kind::timeout) co_return offered;
    if (!line) co_return line.error();
    if (line->command == "421" || line->command == "451") co_return offered;
    if (line->command != "CAP" || line->parameter(1) != "LS") continue;
    const bool goes_on = line->parameter(2) == "*" && line->parameters.size() > 3;
    offered += " " + line->parameters.back();
    if (!goes_on) co_return offered + " ";
  }
}

web::Task<web::Result<void>> Irc::authenticate() {
  const auto begun = co_await say("AUTHENTICATE PLAIN");
  if (!begun) co_return begun.error();
  for (;;) {
    const auto line = co_await next_line(irc_step_time);
    if (!line) co_return line.error();
    if (line->command == "AUTHENTICATE") {
      constexpr std::size_t piece = 400;
      // The account, for itself.
      const auto credentials = crypto::to_base64(user_ + sasl_plain(user_, password_));
      for (std::size_t at = 0; at <= credentials.size(); at += piece) {
        auto part = credentials.substr(at, piece);
        if (part.empty()) part = "+";
        const auto sent = co_await say("AUTHENTICATE " + part);
        if (!sent) co_return sent.error();
      }
    }
    if (line->command == "903") co_return web::Result<void>();
    if (line->command == "902" || line->command == "904" || line->command == "905" || line->command == "906" ||
        line->command == "908")
      co_return web::unauthenticated(irc_refused);
  }
}

web::Task<web::Result<void>> Irc::enter() {
  constexpr int patient_tries = 3, max_tries = 7;
  for (int tries = 0;;) {
    const auto line = co_await next_line(irc_step_time);
    if (!line) co_return line.error();
    if (line->command == "001") {
      if (!line->parameter(0).empty()) nickname_ = line->parameter(0);
      co_return web::Result<void>();
    }
    if (line->command == "464" || line->command == "465") co_return web::unauthenticated(irc_refused);
    if (line->command == "432" || line->command == "433" || line->command == "437") {
      if (++tries == max_tries)
        co_return web::bad_gateway("The nickname " + nickname_ + " and those like it are in use.");
      // It may be the bot's own, from a connection that the server has not yet given up.
      if (tries <= patient_tries)
        co_await web::sleep_for(std::chrono::seconds(1));
      else
        nickname_ += "_";
      const auto asked = co_await say("NICK " + nickname_);
      if (!asked) co_return asked.error();
    }
  }
}

web::Task<web::Result<std::string>> Irc::sign_in() {
  auto origin = origin_;
  auto server = server_;
  auto stream = co_await Stream::open(std::move(origin), std::move(server), reach_);
  if (!stream) co_return stream.error();
  stream_ = std::move(*stream);
  const auto offered = co_await capabilities();
  if (!offered) co_return offered.error();
  std::string wanted;
  bool has_sasl = false;
  for (const std::string_view name : {"sasl", "message-tags", "account-tag"}) {
    const auto at = offered->find(" " + std::string(name));
    const auto after = at == std::string::npos ? '\0' : (*offered)[at + 1 + name.size()];
    if (after != ' ' && after != '=') continue;
    wanted += (wanted.empty() ? "" : " ") + std::string(name);
    has_sasl = has_sasl || name == "sasl";
  }
  std::string lines;
  if (!has_sasl) lines += "PASS :" + password_ + "\r\n";
  if (!wanted.empty()) lines += "CAP REQ :" + wanted + "\r\n";
  lines += "NICK " + nickname_ + "\r\nUSER " + nickname_ + " 0 * :" + nickname_;
  const auto introduced = co_await say(std::move(lines));
  if (!introduced) co_return introduced.error();
  if (has_sasl) {
    const auto authenticated = co_await authenticate();
    if (!authenticated) co_return authenticated.error();
  }
  if (!offered->empty()) {
    const auto ended = co_await say("CAP END");
    if (!ended) co_return ended.error();
  }
  const auto entered = co_await enter();
  if (!entered) co_return entered.error();
  if (!channels_.empty()) {
    const auto joined = co_await say("JOIN " + web::join(channels_, ","));
    if (!joined) co_return joined.error();
  }
  co_return nickname_ + " at " + server_.host;
}

web::Task<web::Result<std::vector<Received>>> Irc::receive() {
  std::vector<Received> received;
  while (received.empty()) {
    const auto line = co_await next_line(irc_silence);
    if (!line && line.error().kind == web::Kind::timeout && !is_silent_) {
      is_silent_ = true;
      const bool has_another = !web::equal_ignoring_case(nickname_, wanted_nickname_);
      std::string line_to_say = "PING :still-there";
      if (has_another) line_to_say = "NICK " + wanted_nickname_ + "\r\n" + line_to_say;
      const auto asked = co_await say(std::move(line_to_say));
      if (!asked) co_return asked.error();
      break;
    }
    if (!line) co_return line.error();
    is_silent_ = false;
    if (line->command == "PONG" && !line->parameters.empty()) {
      if (const auto found = waiting_.find(line->parameters.back()); found != waiting_.end()) {
        found->second->is_done = true;
        found->second->timer.cancel();
      }
    } else if (line->command == "NICK" && web::equal_ignoring_case(nick_of(line->source), nickname_)) {
      nickname_ = line->parameter(0);
    } else if (line->command == "PRIVMSG") {
      if (auto one = read_message(*line)) received.push_back(std::move(*one));
    } else {
      note_refusal(*line);
    }
  }
  co_return received;
}

void Irc::disconnected() {
  if (stream_) stream_->close();
  for (const auto& [word, waiter] : waiting_) waiter->timer.cancel();
}

// ":server 401 scout ada :No such nick"
void Irc::note_refusal(const IrcLine& line) {
  static constexpr std::string_view refusals[] = {"263", "401", "403", "404", "407", "408",
                                                  "412", "416", "442", "477", "531", "716"};
  if (std::ranges::count(refusals, line.command) == 0) return;
  for (const auto& [word, waiter] : waiting_) {
    const bool is_its = line.command == "263" || web::equal_ignoring_case(line.parameter(1), waiter->target);
    if (!is_its || !waiter->refusal.empty()) continue;
    waiter->refusal = "The IRC server answered: " + line.command + " " + line.parameters.back().substr(0, 200);
    waiter->can_repeat = line.command == "263";
  }
  if (waiting_.empty())
    web::log::info("channel_room_not_joined", {{"reason", line.command + " " + line.parameter(1).substr(0, 60)}});
}

std::optional<Received> Irc::read_message(const IrcLine& line) const {
  const auto nick = nick_of(line.source);
  auto text = line.parameter(1);
  constexpr std::string_view action =
      "\x01"
      "ACTION ";
  if (text.starts_with(action))
    text = text.substr(action.size());
  else if (text.starts_with('\x01'))
    return std::nullopt;  // a program asks
  text = without_formats(text);
  if (nick.empty() || web::equal_ignoring_case(nick, nickname_) || web::trim(text).empty()) return std::nullopt;
  const auto account = line.tags.find("account");
  const auto id = line.tags.find("msgid");
  Received received;
  received.event = id == line.tags.end() || id->second.empty() ? crypto::random_id(24) : id->second;
  // A nickname alone proves nothing: anybody may take it.
  received.sender = account == line.tags.end() ? line.source : "account:" + account->second;
  received.sender_name = nick;
  received.chat = nick;
  const auto target = web::lower_case(line.parameter(0));
  if (is_channel_name(target)) {
    received.chat = received.group = received.group_name = target;
    for (const auto& name : {nickname_, wanted_nickname_}) {
      const auto at = web::lower_case(text).find(web::lower_case(name));
      received.is_mentioned = received.is_mentioned || at != std::string::npos;
      if (at == 0) text = web::trim(std::string_view(text).substr(name.size()), " \t:,");
    }
  }
  // Programs for IRC take what begins with a slash for themselves.
  for (const auto command : irc_commands)
    if (web::equal_ignoring_case(web::trim(text), command)) text = "/" + std::string(command.substr(1));
  received.text = std::move(text);
  read_answer(received);
  return received;
}

web::Task<> Irc::wait_for_turn() {
  const auto now = std::chrono::steady_clock::now();
  free_at_ = std::max(free_at_, now) + line_price;
  const auto begin = free_at_ - line_price * lines_at_once;
  if (begin > now) co_await web::sleep_for(begin - now);
}

web::Task<SendResult> Irc::send(Sending sending) {
  if (!sending.file_name.empty()) co_return SendFailure{.reason = "IRC has no files.", .is_final = true};
  const auto lines = lines_of(render(with_answers(sending.text, sending.buttons), Format::plain));
  const auto word = crypto::random_id(12);
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto waiter = std::make_shared<Waiter>(executor, sending.chat);
  bool has_begun = false;
  waiting_[word] = waiter;
  web::Result<void> written{};
  for (const auto& line : lines) {
    co_await wait_for_turn();
    written = co_await say("PRIVMSG " + sending.chat + " :" + line);
    if (!written || !waiter->refusal.empty()) break;
    has_begun = true;
  }
  // The answer to this comes after those to what was said before.
  if (written) written = co_await say("PING :" + word);
  if (written && !waiter->is_done) {
    waiter->timer.expires_after(irc_answer_time);
    boost::system::error_code woken;
    co_await waiter->timer.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  waiting_.erase(word);
  if (!waiter->refusal.empty()) co_return SendFailure{.reason = waiter->refusal, .is_final = !waiter->can_repeat};
  if (!written) co_return failure_of(written.error(), has_begun);
  if (!waiter->is_done)
    co_return SendFailure{.reason = server_.host + " did not say that it has the message.", .may_have_arrived = true};
  co_return word;
}

}  // namespace channels
