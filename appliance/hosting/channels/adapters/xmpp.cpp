#include "appliance/hosting/channels/adapters/xmpp.h"

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <charconv>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/channels/adapters/mime.h"
#include "appliance/hosting/channels/adapters/sasl.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/log.h"
#include "web/markup.h"
#include "web/utf8.h"

namespace channels {

namespace {

constexpr std::array<std::uint16_t, 2> xmpp_secure{5223, 443};
constexpr std::array<std::uint16_t, 1> xmpp_others{5222};
constexpr ServerPorts xmpp_ports{5222, xmpp_secure, xmpp_others};
constexpr std::chrono::seconds xmpp_step_time{20}, xmpp_silence{60};
constexpr std::size_t max_rooms = 20;

constexpr auto xmlns_client = "jabber:client", xmlns_tls = "urn:ietf:params:xml:ns:xmpp-tls",
               xmlns_sasl = "urn:ietf:params:xml:ns:xmpp-sasl", xmlns_bind = "urn:ietf:params:xml:ns:xmpp-bind",
               xmlns_sm = "urn:xmpp:sm:3", xmlns_muc = "http://jabber.org/protocol/muc", xmlns_oob = "jabber:x:oob",
               xmlns_correct = "urn:xmpp:message-correct:0", xmlns_delay = "urn:xmpp:delay",
               xmlns_ping = "urn:xmpp:ping";

std::string_view bare(std::string_view address) { return address.substr(0, address.find('/')); }
std::string_view resource_of(std::string_view address) {
  const auto slash = address.find('/');
  return slash == address.npos ? std::string_view() : address.substr(slash + 1);
}
std::string_view user_part(std::string_view address) { return address.substr(0, address.find('@')); }

// user@domain without what ends an attribute or names a device.
bool is_xmpp_address(std::string_view text) {
  const auto at = text.find('@');
  return at != text.npos && at > 0 && at + 1 < text.size() && text.find('@', at + 1) == text.npos &&
         std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) <= ' ' ||
                  std::string_view("\"&'/<>:").find(c) != std::string_view::npos;
         });
}

std::string xmpp_option(const Channel& channel, std::string_view name) {
  return std::string(web::trim(web::string_member(channel.options, name), web::white_space));
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = text.find_first_not_of(", \t\r\n");
    if (begin == text.npos) return words;
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find_first_of(", \t\r\n"));
    words.push_back(web::lower_case(word));
    text.remove_prefix(word.size());
  }
}

web::Result<ServerAddress> xmpp_server(const Channel& channel, web::Reach reach) {
  const auto address = xmpp_option(channel, "address");
  const auto domain = web::lower_case(address.substr(address.find('@') + 1));
  const auto given = xmpp_option(channel, "server");
  auto server = server_address("server", given.empty() ? domain : given, xmpp_ports, reach);
  if (server) server->certified = domain;  // RFC 6120, 13.7.2.1
  return server;
}

ServerAddress known_xmpp_server(const Channel& channel, web::Reach reach) {
  auto server = xmpp_server(channel, reach);
  return server ? std::move(*server) : ServerAddress();
}

// The condition in an error or a failure, as "not-authorized".
std::string condition_of(const XmlElement& failure) {
  for (const auto& child : failure.children)
    if (child.name != "text") return child.name;
  return "unknown";
}

SendFailure failure_of_error(const XmlElement& stanza) {
  const auto* error = stanza.child("error");
  if (!error) return {.reason = "The server refused the message."};
  const auto text = error->child_text("text");
  return {.reason = "The server refused the message: " + condition_of(*error) + (text.empty() ? "." : ": " + text),
          .is_final = error->attribute("type") != "wait"};
}

}  // namespace

web::Result<void> Xmpp::check(const Channel& channel, const AdapterSettings& settings) {
  if (!is_xmpp_address(xmpp_option(channel, "address")))
    return web::invalid("address must be the bot's XMPP address, such as scout@example.org");
  const auto rooms = listed(xmpp_option(channel, "rooms"));
  if (rooms.size() > max_rooms || !std::ranges::all_of(rooms, is_xmpp_address))
    return web::invalid("rooms must be at most 20 addresses of rooms, such as team@conference.example.org");
  const auto server = xmpp_server(channel, settings.user_reach);
  if (!server) return server.error();
  return {};
}

Xmpp::Xmpp(const Channel& channel, const AdapterSettings& settings)
    : address_(web::lower_case(xmpp_option(channel, "address"))),
      user_(user_part(address_)),
      domain_(address_.substr(std::min(user_.size() + 1, address_.size()))),
      password_(secret_of(channel, "token")),
      nickname_(xmpp_option(channel, "nickname").empty() ? user_ : xmpp_option(channel, "nickname")),
      rooms_(listed(xmpp_option(channel, "rooms"))),
      server_(known_xmpp_server(channel, settings.user_reach)),
      origin_(origin_of(channel)),
      reach_(settings.user_reach),
      traits_{.format = Format::plain,
              .text = {.length = 8'000},
              .can_edit = true,
              .pace = std::chrono::milliseconds(100)} {}

web::Task<web::Result<XmlElement>> Xmpp::next_stanza(std::chrono::milliseconds time) {
  while (!xml_->has_next()) {
    if (xml_->has_ended()) co_return web::bad_gateway(domain_ + " ended the connection.");
    const auto bytes = co_await stream_->read_some(time);
    if (!bytes) co_return bytes.error();
    if (!xml_->feed(*bytes)) co_return web::bad_gateway(domain_ + " sent what is no XMPP.");
  }
  auto stanza = xml_->next();
  if (stanza.name == "error" && stanza.space == "http://etherx.jabber.org/streams")
    co_return web::bad_gateway(domain_ + " ended the connection: " + condition_of(stanza) + ".");
  const bool is_stanza = stanza.name == "message" || stanza.name == "presence" || stanza.name == "iq";
  if (counts_ && is_stanza) ++heard_;
  co_return stanza;
}

web::Task<web::Result<void>> Xmpp::write_stanza(std::string stanza) {
  if (counts_) ++sent_;
  return stream_->write(std::move(stanza));
}

web::Task<web::Result<XmlElement>> Xmpp::open_stream() {
  xml_ = std::make_unique<XmlStream>();
  const auto opened = co_await stream_->write(
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
      "version='1.0'" +
      xml_attribute("to", domain_) + ">");
  if (!opened) co_return opened.error();
  auto features = co_await next_stanza(xmpp_step_time);
  if (features && features->name != "features") co_return web::bad_gateway(domain_ + " does not say what it offers.");
  co_return features;
}

web::Task<web::Result<void>> Xmpp::begin() {
  auto origin = origin_;
  auto server = server_;
  auto stream = co_await Stream::open(std::move(origin), std::move(server), reach_);
  if (!stream) co_return stream.error();
  stream_ = std::move(*stream);
  auto features = co_await open_stream();
  if (!features) co_return features.error();
  if (!stream_->is_secure() && features->child("starttls", xmlns_tls)) {
    const auto asked = co_await stream_->write("<starttls" + xml_attribute("xmlns", xmlns_tls) + "/>");
    if (!asked) co_return asked.error();
    const auto proceed = co_await next_stanza(xmpp_step_time);
    if (!proceed) co_return proceed.error();
    if (proceed->name != "proceed" || xml_->has_next())
      co_return web::bad_gateway(domain_ + " does not encrypt the connection.");
    const auto secured = co_await stream_->start_tls();
    if (!secured) co_return secured.error();
    features = co_await open_stream();
    if (!features) co_return features.error();
  }
  if (!stream_->is_secure() && stream_->must_be_secure())
    co_return web::bad_gateway(domain_ + " does not offer an encrypted connection.");
  const auto authenticated = co_await authenticate(*features);
  if (!authenticated) co_return authenticated.error();
  features = co_await open_stream();
  if (!features) co_return features.error();
  const bool can_count = features->child("sm", xmlns_sm) != nullptr;
  const auto bound = co_await bind();
  if (!bound) co_return bound.error();
  if (!can_count) co_return web::Result<void>();
  const auto enabled = co_await stream_->write("<enable" + xml_attribute("xmlns", xmlns_sm) + "/>");
  if (!enabled) co_return enabled.error();
  const auto answer = co_await next_stanza(xmpp_step_time);
  if (!answer) co_return answer.error();
  counts_ = answer->name == "enabled";
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Xmpp::authenticate(const XmlElement& features) {
  const auto* mechanisms = features.child("mechanisms", xmlns_sasl);
  const auto offers = [&](std::string_view name) {
    return mechanisms &&
           std::ranges::any_of(mechanisms->children, [&](const XmlElement& one) { return one.text == name; });
  };
  const bool is_sha256 = offers("SCRAM-SHA-256");
  const bool is_scram = is_sha256 || offers("SCRAM-SHA-1");
  if (!is_scram && !offers("PLAIN")) co_return web::bad_gateway(domain_ + " offers no way to sign in with a password.");
  Scram scram(is_sha256, user_, password_);
  std::string mechanism = "PLAIN", initial = sasl_plain(user_, password_);
  if (is_scram) {
    mechanism = is_sha256 ? "SCRAM-SHA-256" : "SCRAM-SHA-1";
    initial = scram.first();
  }
  const auto begun =
      co_await stream_->write("<auth" + xml_attribute("xmlns", xmlns_sasl) + xml_attribute("mechanism", mechanism) +
                              ">" + crypto::to_base64(initial) + "</auth>");
  if (!begun) co_return begun.error();
  bool has_proven = !is_scram;  // the server, too
  for (;;) {
    const auto reply = co_await next_stanza(xmpp_step_time);
    if (!reply) co_return reply.error();
    const auto data = crypto::from_base64(web::trim(reply->text, web::white_space)).value_or(std::string());
    if (reply->name == "success") {
      if (has_proven || scram.is_final(data)) co_return web::Result<void>();
      co_return web::bad_gateway(domain_ + " does not prove that it knows the password.");
    }
    if (reply->name == "failure") {
      const auto condition = condition_of(*reply);
      if (condition == "temporary-auth-failure")
        co_return web::bad_gateway(domain_ + " cannot check the password at the moment.");
      co_return web::unauthenticated("The XMPP server does not accept the address or the password: " + condition + ".");
    }
    if (reply->name != "challenge" || !is_scram)
      co_return web::bad_gateway(domain_ + " does not sign in as it should.");
    std::string response;
    if (scram.is_final(data)) {
      has_proven = true;
    } else if (auto answer = scram.answer(data)) {
      response = crypto::to_base64(*answer);
    } else {
      co_return web::bad_gateway(domain_ + " asks for more than a client may answer.");
    }
    const auto written =
        co_await stream_->write("<response" + xml_attribute("xmlns", xmlns_sasl) + ">" + response + "</response>");
    if (!written) co_return written.error();
  }
}

web::Task<web::Result<void>> Xmpp::bind() {
  const auto id = crypto::random_id(12);
  const auto resource = "agentbox-" + crypto::random_id(6);
  auto answer =
      co_await ask_alone("<iq type='set'" + xml_attribute("id", id) + "><bind" + xml_attribute("xmlns", xmlns_bind) +
                             ">" + xml_element("resource", resource) + "</bind></iq>",
                         id);
  if (!answer) co_return answer.error();
  if (answer->attribute("type") != "result") co_return web::bad_gateway(domain_ + " does not let the bot in.");
  co_return web::Result<void>();
}

web::Task<web::Result<XmlElement>> Xmpp::ask_alone(std::string query, std::string id) {
  const auto written = co_await write_stanza(std::move(query));
  if (!written) co_return written.error();
  for (;;) {
    auto stanza = co_await next_stanza(xmpp_step_time);
    if (!stanza) co_return stanza.error();
    if (stanza->name == "iq" && stanza->attribute("id") == id) co_return std::move(*stanza);
    const auto handled = co_await handle(std::move(*stanza));
    if (!handled) co_return handled.error();
  }
}

web::Task<web::Result<std::string>> Xmpp::sign_in() {
  const auto begun = co_await begin();
  if (!begun) co_return begun.error();
  std::string presences = "<presence/>";
  if (counts_) ++sent_;
  for (const auto& room : rooms_) {
    if (counts_) ++sent_;
    presences += "<presence" + xml_attribute("to", room + "/" + nickname_) + "><x" + xml_attribute("xmlns", xmlns_muc) +
                 "><history maxstanzas='0'/></x></presence>";
  }
  const auto written = co_await stream_->write(std::move(presences));
  if (!written) co_return written.error();
  co_return address_;
}

web::Task<web::Result<std::vector<Received>>> Xmpp::receive() {
  taken_ = returned_;
  if (counts_ && taken_ != acknowledged_) {
    acknowledged_ = taken_;
    const auto told = co_await stream_->write("<a" + xml_attribute("xmlns", xmlns_sm) +
                                              xml_attribute("h", std::to_string(taken_)) + "/>");
    if (!told) co_return told.error();
  }
  while (received_.empty() || xml_->has_next()) {
    auto stanza = co_await next_stanza(xmpp_silence);
    if (!stanza && stanza.error().kind == web::Kind::timeout && !is_silent_) {
      is_silent_ = counts_;  // without an answer to <r/> the connection is dead
      auto asking = stream_->write(counts_ ? "<r" + xml_attribute("xmlns", xmlns_sm) + "/>" : std::string(" "));
      const auto asked = co_await std::move(asking);
      if (!asked) co_return asked.error();
      break;
    }
    if (!stanza) co_return stanza.error();
    is_silent_ = false;
    const auto handled = co_await handle(std::move(*stanza));
    if (!handled) co_return handled.error();
  }
  returned_ = heard_;
  co_return std::exchange(received_, {});
}

web::Task<web::Result<void>> Xmpp::handle(XmlElement stanza) {
  if (stanza.space == xmlns_sm && stanza.name == "r")
    co_return co_await stream_->write("<a" + xml_attribute("xmlns", xmlns_sm) +
                                      xml_attribute("h", std::to_string(taken_)) + "/>");
  if (stanza.space == xmlns_sm && stanza.name == "a") {
    const auto text = stanza.attribute("h");
    std::uint32_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    acknowledged(count);
    co_return web::Result<void>();
  }
  const auto type = stanza.attribute("type"), id = stanza.attribute("id");
  const bool is_answer =
      (stanza.name == "iq" && (type == "result" || type == "error")) || (stanza.name == "message" && type == "error");
  if (is_answer) {
    if (const auto found = answers_.find(id); found != answers_.end()) {
      found->second->answer = std::move(stanza);
      if (found->second->count == 0) found->second->timer.cancel();
    }
    co_return web::Result<void>();
  }
  if (stanza.name == "iq" && (type == "get" || type == "set")) co_return co_await answer_query(stanza);
  if (stanza.name == "presence" && type == "subscribe")
    co_return co_await write_stanza("<presence type='subscribed'" +
                                    xml_attribute("to", bare(stanza.attribute("from"))) + "/>");
  if (stanza.name == "presence" && type == "error")
    web::log::info("channel_room_not_joined", {{"reason", "The room " + std::string(bare(stanza.attribute("from"))) +
                                                              " does not let the bot in."}});
  if (stanza.name != "message") co_return web::Result<void>();
  if (auto one = read_message(stanza)) received_.push_back(std::move(*one));
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Xmpp::answer_query(const XmlElement& query) {
  auto head = xml_attribute("to", query.attribute("from")) + xml_attribute("id", query.attribute("id"));
  if (query.child("ping", xmlns_ping)) return write_stanza("<iq type='result'" + head + "/>");
  return write_stanza(
      "<iq type='error'" + head +
      "><error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>");
}

std::optional<Received> Xmpp::read_message(const XmlElement& message) const {
  const auto type = message.attribute("type"), from = message.attribute("from");
  const auto room = web::lower_case(bare(from));
  const bool is_room = std::ranges::count(rooms_, room) > 0;
  const bool is_group = type == "groupchat";
  auto text = message.child_text("body", xmlns_client);
  const auto* file = message.child("x", xmlns_oob);
  const auto url = file ? file->child_text("url") : std::string();
  // A room repeats what was said before the bot came; corrections are not said anew.
  if (message.child("replace", xmlns_correct) || (is_group && message.child("delay", xmlns_delay))) return std::nullopt;
  if (is_group && (!is_room || resource_of(from).empty() || resource_of(from) == nickname_)) return std::nullopt;
  if ((text.empty() && url.empty()) || room == address_) return std::nullopt;
  const auto id = message.attribute("id");
  Received received;
  received.event = from + " " + (id.empty() ? crypto::random_id(24) : id);
  received.sender = is_room ? from : room;
  received.sender_name = is_room ? std::string(resource_of(from)) : std::string(user_part(from));
  received.sender_handle = received.sender;
  received.chat = received.sender;
  received.language = message.attribute("http://www.w3.org/XML/1998/namespace\nlang").substr(0, 5);
  received.message = id;
  if (!url.empty()) {
    auto name = url.substr(0, url.find_first_of("?#"));
    name = percent_decoded(name.substr(name.rfind('/') + 1));
    received.files.push_back({.name = name.empty() ? "file" : name, .reference = url, .size = 0});
    if (text == url) text.clear();
  }
  if (is_group) {
    received.chat = received.group = room;
    received.group_name = user_part(room);
    const auto lower = web::lower_case(text), name = web::lower_case(nickname_);
    const auto at = lower.find(name);
    received.is_mentioned = at != std::string::npos;
    if (at == 0) text = web::trim(std::string_view(text).substr(name.size()), " \t\r\n:,");
  }
  received.text = std::move(text);
  read_answer(received);
  return received;
}

// The server counts what it has of the bot's stanzas.
void Xmpp::acknowledged(std::uint32_t count) {
  std::erase_if(deliveries_, [&](const Waiting& one) {
    if (std::int32_t(count - one->count) < 0) return false;
    one->is_done = true;
    one->timer.cancel();
    return true;
  });
}

void Xmpp::disconnected() {
  if (stream_) stream_->close();
  for (const auto& [id, waiter] : answers_) waiter->timer.cancel();
}

web::Task<bool> Xmpp::wait_for(Waiting waiter, std::chrono::seconds time) {
  if (!waiter->is_done && (!waiter->answer || waiter->count > 0)) {
    waiter->timer.expires_after(time);
    boost::system::error_code woken;
    co_await waiter->timer.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
  co_return waiter->is_done || (waiter->answer && waiter->count == 0);
}

web::Task<web::Result<XmlElement>> Xmpp::ask(std::string to, std::string type, std::string content) {
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto waiter = std::make_shared<Waiter>(executor);
  const auto id = crypto::random_id(12);
  answers_[id] = waiter;
  const auto written = co_await write_stanza("<iq" + xml_attribute("type", type) + xml_attribute("to", to) +
                                             xml_attribute("id", id) + ">" + content + "</iq>");
  const bool is_answered = written && co_await wait_for(waiter, xmpp_step_time);
  answers_.erase(id);
  if (!written) co_return written.error();
  if (!is_answered) co_return web::bad_gateway(to + " gave no answer.");
  if (waiter->answer->attribute("type") != "result")
    co_return web::bad_gateway(failure_of_error(*waiter->answer).reason);
  co_return std::move(*waiter->answer);
}

web::Task<SendResult> Xmpp::deliver(const Sending& sending, std::string body, std::string more) {
  const web::Executor executor = co_await boost::asio::this_coro::executor;
  const auto waiter = std::make_shared<Waiter>(executor);
  const auto id = sending.key.empty() ? crypto::random_id(24) : sending.key;
  const bool is_room = std::ranges::count(rooms_, sending.chat) > 0;
  auto stanza = "<message" + xml_attribute("to", sending.chat) + xml_attribute("id", id) +
                xml_attribute("type", is_room ? "groupchat" : "chat") + ">" + xml_element("body", xml_text(body)) +
                more + "</message>";
  const bool is_counted = counts_;
  if (is_counted) {
    // Asked in the same piece: the answer is about this message.
    stanza += "<r" + xml_attribute("xmlns", xmlns_sm) + "/>";
    waiter->count = sent_ + 1;
    deliveries_.push_back(waiter);
  }
  answers_[id] = waiter;
  const auto written = co_await write_stanza(std::move(stanza));
  bool is_there = written && !is_counted;
  if (written && is_counted) is_there = co_await wait_for(waiter, xmpp_step_time);
  answers_.erase(id);
  std::erase(deliveries_, waiter);
  if (waiter->answer) co_return failure_of_error(*waiter->answer);
  if (!written) co_return failure_of(written.error(), false);
  if (!is_there)
    co_return SendFailure{.reason = domain_ + " did not say that it has the message.", .may_have_arrived = true};
  co_return id;
}

web::Task<SendResult> Xmpp::send(Sending sending) {
  if (!sending.file_name.empty()) co_return co_await send_file(sending);
  auto text = render(with_answers(sending.text, sending.buttons), Format::plain);
  std::string more = "<active xmlns='http://jabber.org/protocol/chatstates'/>";
  if (!sending.edits.empty())
    more += "<replace" + xml_attribute("xmlns", xmlns_correct) + xml_attribute("id", sending.edits) + "/>";
  co_return co_await deliver(sending, std::move(text), std::move(more));
}

web::Task<> Xmpp::typing(std::string chat) {
  const bool is_room = std::ranges::count(rooms_, chat) > 0;
  const std::string type = is_room ? "groupchat" : "chat";
  auto stanza = "<message" + xml_attribute("to", chat) + xml_attribute("type", type) +
                "><composing xmlns='http://jabber.org/protocol/chatstates'/></message>";
  [[maybe_unused]] const auto shown = co_await write_stanza(std::move(stanza));
}

std::string Xmpp::invitation_url(std::string_view secret) const {
  return "xmpp:" + address_ + "?message;body=" + std::string(secret);
}

}  // namespace channels
