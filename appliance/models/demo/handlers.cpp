#include "appliance/models/demo/handlers.h"

#include <algorithm>

#include "appliance/models/providers/openai_wire.h"
#include "web/admission/rate_limit.h"
#include "web/blank.h"
#include "web/routes/reply.h"
#include "web/utf8.h"

namespace models::demo {

namespace json = boost::json;

namespace {

// The first `count` characters of UTF-8.
std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size() && count > 0; --count) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  }
  return std::string(text.substr(0, at));
}

// A member of the body that is neither missing nor null; otherwise null.
const json::value* member(const json::object& body, std::string_view name) {
  const auto* value = body.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

struct Entry {
  explicit Entry(std::string_view text) : content(first_characters(text, conversation_limits.charactersPerEntry)) {
    is_cut = content.size() < text.size();
  }
  std::string content;
  bool is_cut = false;
};

// Drops the oldest entries until the rest is within the limits.
void keep_newest(std::vector<Entry>& entries) {
  auto first = entries.end();
  for (auto left = std::size_t(conversation_limits.characters);
       first != entries.begin() && entries.end() - first < conversation_limits.entries;) {
    const auto size = web::count_characters((first - 1)->content);
    if (size > left) break;
    left -= size;
    --first;
  }
  entries.erase(entries.begin(), first);
}

web::Result<std::vector<Entry>> parse_conversation(const json::object& body, UsedConversation& used) {
  std::vector<Entry> found;
  const auto* conversation = member(body, "conversation");
  if (!conversation) return found;
  const auto entries =
      web::parse_value<web::List<json::object, 0, max_conversation_entries>>(*conversation, "conversation");
  if (!entries) return entries.error();
  for (const auto& entry : *entries) {
    const auto* role = entry.if_contains("role");
    const auto* content = entry.if_contains("content");
    if (!role || *role != "user" || !content || !content->is_string() || content->get_string().empty()) continue;
    found.emplace_back(std::string_view(content->get_string()));
  }
  used.given = std::ssize(found);
  keep_newest(found);
  used.used = std::ssize(found);
  return found;
}

web::Result<std::string> parse_message(const json::object& body) {
  const auto* message = member(body, "message");
  if (!message) return web::invalid("Message required");
  const auto text = web::parse_value<web::Prose<0, max_message_characters>>(*message, "message");
  if (!text) return text.error();
  if (web::is_blank(*text)) return web::invalid("Message required");
  return std::string(*text);
}

web::Result<void> check_mode(const json::object& body) {
  const auto* mode = member(body, "mode");
  if (!mode) return {};
  const auto text = web::parse_value<web::Text<0, 100>>(*mode, "mode");
  if (!text) return text.error();
  return {};
}

web::Result<std::string> parse_model(const json::object& body, const Demo& demo, const std::vector<DemoModel>& models) {
  const auto* model = member(body, "model");
  if (!model) return demo.default_model(models);
  const auto name = web::parse_value<web::Text<1, 200>>(*model, "model");
  if (!name) return name.error();
  if (std::ranges::find(models, std::string(*name), &DemoModel::id) == models.end())
    return web::invalid("model must be one of the demo's models");
  return std::string(*name);
}

web::Error demo_is_off() { return web::unavailable("The demo is off"); }

struct DemoRequest {
  ChatRequest chat;
  std::string model;
  UsedConversation conversation;
};

web::Result<DemoRequest> parse_request(const web::Request& request, const Demo& demo,
                                       const std::vector<DemoModel>& models) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  const auto text = parse_message(*body);
  if (!text) return text.error();
  if (const auto mode = check_mode(*body); !mode) return mode.error();
  DemoRequest parsed{.chat = {}, .model = {}, .conversation = {}};
  auto entries = parse_conversation(*body, parsed.conversation);
  if (!entries) return entries.error();
  entries->emplace_back(*text);
  auto model = parse_model(*body, demo, models);
  if (!model) return model.error();
  parsed.model = std::move(*model);
  for (auto& entry : *entries) {
    if (entry.is_cut) ++parsed.conversation.cut;
    parsed.chat.messages.push_back({.role = Role::user, .content = std::move(entry.content)});
  }
  return parsed;
}

}  // namespace

web::Answer show_demo(const Services& services, const web::Request&) {
  if (!services.demo.is_on()) co_return demo_is_off();
  const DemoInfo answer{.models = services.demo.models(),
                        .message = "Send {message} to talk to one of these models without an account."};
  co_return web::reply(answer);
}

web::Answer chat(const Services& services, const web::Request& request) {
  if (!services.demo.is_on()) co_return demo_is_off();
  const auto models = services.demo.models();
  if (models.empty()) co_return web::unavailable("Demo unavailable — service not configured.");
  auto parsed = parse_request(request, services.demo, models);
  if (!parsed) co_return parsed.error();
  auto visitor = web::rate_key(request.client_address);
  const auto answer =
      co_await services.demo.answer(std::move(parsed->chat), std::move(parsed->model), std::move(visitor));
  if (!answer) co_return answer.error();
  const auto& conversation = parsed->conversation;
  const auto& limits = conversation_limits;
  co_return web::json(json::object{
      {"id", answer->id},
      {"model", answer->model},
      {"message", answer->message.content},
      {"usage", openai::usage_to_wire(answer->usage)},
      {"conversation", json::object{{"given", conversation.given},
                                    {"used", conversation.used},
                                    {"cut", conversation.cut},
                                    {"limits", json::object{{"entries", limits.entries},
                                                            {"charactersPerEntry", limits.charactersPerEntry},
                                                            {"characters", limits.characters},
                                                            {"answerTokens", limits.answerTokens}}}}},
      {"done", true}});
}

}  // namespace models::demo
