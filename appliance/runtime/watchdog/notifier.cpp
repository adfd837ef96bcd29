#include "appliance/runtime/watchdog/notifier.h"

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <utility>

#include "appliance/runtime/watchdog/channel.h"
#include "web/markup.h"

namespace watchdog {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

web::FetchRequest post(std::string url, json::object body, std::chrono::milliseconds timeout) {
  web::FetchRequest request;
  request.url = std::move(url);
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json::serialize(body);
  request.origin.part = "notifications";
  request.timeout = timeout;
  request.max_bytes = 64 * 1024;
  return request;
}

// Some chats read `text`, in which <...> are links and mentions, others `content`; mentions are disabled in the latter.
json::object webhook_body(const std::string& text) {
  return {{"text", web::escape_markup(text)}, {"content", text}, {"allowed_mentions", {{"parse", json::array()}}}};
}

std::string opening(Notice notice) {
  switch (notice) {
    case Notice::degraded:
      return "is degraded. ";
    case Notice::recovered:
      return "is well again. ";
    case Notice::repaired:
      return "has been repaired. ";
    case Notice::crash_loop:
      break;
  }
  return "has been given up. ";
}

}  // namespace

std::string sentence_of(Notice notice, const std::string& why) {
  auto text = opening(notice) + why;
  while (text.ends_with(' ')) text.pop_back();
  return text.ends_with('.') ? text : text + ".";
}

struct Notifier::Impl {
  Impl(NotifierOptions chosen, boost::asio::io_context& home) : options(std::move(chosen)) {
    const auto timeout = options.timeout;
    if (!options.bot_token.empty() && !options.chat_id.empty()) {
      auto url = options.bot_api_url + "/bot" + options.bot_token + "/sendMessage";
      bot.emplace(
          named("bot"),
          [url = std::move(url), chat = options.chat_id, timeout](const std::string& text) {
            return post(url, {{"chat_id", chat}, {"text", text}}, timeout);
          },
          home);
    }
    if (!options.webhook_url.empty())
      webhook.emplace(
          named("webhook"),
          [url = options.webhook_url, timeout](const std::string& text) {
            return post(url, webhook_body(text), timeout);
          },
          home);
  }

  ChannelOptions named(std::string name) const {
    return {.name = std::move(name),
            .first_pause = options.first_pause,
            .tries = options.tries,
            .max_waiting = options.max_waiting};
  }

  bool is_new(const std::string& agent, Notice notice) {
    const auto now = Clock::now();
    std::erase_if(sent, [&](const auto& entry) { return entry.second + options.repeat_after <= now; });
    return sent.try_emplace({agent, notice}, now).second;
  }

  const NotifierOptions options;
  std::optional<Channel> bot, webhook;
  std::map<std::pair<std::string, Notice>, Clock::time_point> sent;  // within repeat_after
};

Notifier::Notifier(NotifierOptions options, boost::asio::io_context& home)
    : impl_(std::make_unique<Impl>(std::move(options), home)) {}

Notifier::~Notifier() = default;

bool Notifier::notify(const std::string& agent, const std::string& name, Notice notice, const std::string& why) {
  if (!impl_->is_new(agent, notice)) return false;
  const auto text = "agentbox: the agent " + name + " (" + agent + ") " + sentence_of(notice, why);
  if (impl_->bot) impl_->bot->send(text);
  if (impl_->webhook) impl_->webhook->send(text);
  return true;
}

web::Task<> Notifier::stop() {
  for (auto* channel : {&impl_->bot, &impl_->webhook})
    if (*channel) co_await (*channel)->stop();
}

}  // namespace watchdog
