#include "appliance/hosting/channels/adapter.h"

#include <boost/json.hpp>
#include <charconv>

#include "appliance/hosting/channels/adapters/discord.h"
#include "appliance/hosting/channels/adapters/irc.h"
#include "appliance/hosting/channels/adapters/mail.h"
#include "appliance/hosting/channels/adapters/matrix.h"
#include "appliance/hosting/channels/adapters/slack.h"
#include "appliance/hosting/channels/adapters/telegram.h"
#include "appliance/hosting/channels/adapters/webhook.h"
#include "appliance/hosting/channels/adapters/whatsapp.h"
#include "appliance/hosting/channels/adapters/xmpp.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"

namespace channels {

namespace {

template <class A>
web::Result<std::unique_ptr<Adapter>> make(const Channel& channel, const AdapterSettings& settings) {
  if (const auto good = A::check(channel, settings); !good) return good.error();
  return std::unique_ptr<Adapter>(std::make_unique<A>(channel, settings));
}

}  // namespace

web::Result<std::unique_ptr<Adapter>> make_adapter(const Channel& channel, const AdapterSettings& settings) {
  for (const auto& [name, value] : channel.options)
    if (!value.is_string()) return web::invalid("options." + std::string(name) + " must be a text");
  switch (channel.kind) {
    case Kind::telegram:
      return make<Telegram>(channel, settings);
    case Kind::webhook:
      return make<Webhook>(channel, settings);
    case Kind::slack:
      return make<Slack>(channel, settings);
    case Kind::discord:
      return make<Discord>(channel, settings);
    case Kind::whatsapp:
      return make<WhatsApp>(channel, settings);
    case Kind::mail:
      return make<MailBox>(channel, settings);
    case Kind::matrix:
      return make<Matrix>(channel, settings);
    case Kind::xmpp:
      return make<Xmpp>(channel, settings);
    case Kind::irc:
      return make<Irc>(channel, settings);
  }
  return web::invalid("kind is unknown");
}

web::CallOrigin origin_of(const Channel& channel) {
  return {.part = "channels", .user = channel.owner, .agent = channel.agent};
}

std::string push_path(const std::string& channel) { return "/api/channel-events/" + channel; }

std::string secret_of(const Channel& channel, std::string_view name) {
  boost::system::error_code failed;
  const auto secrets = boost::json::parse(channel.secrets.clear, failed);
  return failed ? std::string() : web::string_member(secrets, name);
}

web::Reach reach_of_provider(const std::string& api_url) {
  const auto url = web::parse_fetch_url(api_url);
  return url && web::is_private_host(*url) ? web::Reach::configured : web::Reach::public_only;
}

std::string with_answers(std::string text, const std::vector<Button>& buttons) {
  if (buttons.empty()) return text;
  text += "\n\nAnswer with one of these lines:";
  for (const auto& button : buttons) text += "\n\n" + button.label + ": `" + button.data + "`";
  return text;
}

void read_answer(Received& received) {
  const auto text = web::trim(received.text, web::white_space);
  if (!text.starts_with("ask:") || text.find_first_of(web::white_space) != text.npos) return;
  received.button = text;
  received.text.clear();
  received.message.clear();
}

SendFailure failure_of(const web::Error& error, bool has_begun) {
  const bool is_final = error.kind == web::Kind::invalid || error.kind == web::Kind::too_large;
  return {.reason = error.message, .is_final = is_final, .may_have_arrived = has_begun};
}

SendFailure failure_of(const web::FetchResponse& response, std::string reason) {
  const bool can_repeat = response.status == 408 || response.status == 429 || response.status >= 500;
  SendFailure failure{.reason = std::move(reason), .is_final = !can_repeat, .is_refused = response.status == 401};
  const auto header = response.header("retry-after");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  constexpr std::int64_t longest = 3'600;
  if (!header.empty() && error == std::errc() && end == header.data() + header.size() && seconds >= 0)
    failure.retry_after = std::chrono::seconds(std::min(seconds, longest));
  return failure;
}

}  // namespace channels
