#include "appliance/models/providers/vendor_providers.h"

#include <boost/json.hpp>

#include "appliance/models/providers/anthropic_wire.h"
#include "appliance/models/providers/exchange.h"
#include "appliance/models/providers/google_wire.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models {

namespace json = boost::json;

namespace {

// The ids in a list of models; not set if the body has none.
std::optional<std::vector<ModelInfo>> listed_in(const std::string& body, const char* list, const char* id,
                                                const std::string& provider) {
  boost::system::error_code error;
  const auto value = json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* entries = object ? web::array_member(*object, list) : nullptr;
  if (!entries) return std::nullopt;
  std::vector<ModelInfo> listed;
  for (const auto& entry : *entries)
    if (const auto* model = entry.if_object())
      if (auto name = web::string_member(*model, id); !name.empty())
        listed.push_back({.id = std::move(name), .provider = provider});
  return listed;
}

constexpr const char* no_list = "sent a list of models that is not one.";

}  // namespace

web::FetchHeaders AnthropicProvider::headers() const {
  return {{"x-api-key", upstream_.key()}, {"anthropic-version", std::string(anthropic::version)}};
}

std::optional<std::string> AnthropicProvider::cannot(const ChatRequest& request) const {
  return anthropic::cannot(request);
}

web::Task<Outcome<ChatAnswer>> AnthropicProvider::complete(ChatRequest request, Listener* listener) {
  auto wire = anthropic::to_wire(request);
  if (listener) {
    wire["stream"] = true;
    auto body = json::serialize(wire);
    co_return co_await streamed_answer<anthropic::AnswerStream>(upstream_, "/messages", headers(), std::move(body),
                                                                request, *listener, anthropic::parse_answer);
  }
  auto body = json::serialize(wire);
  co_return co_await whole_answer(upstream_, "/messages", headers(), std::move(body), request, anthropic::parse_answer);
}

web::Task<Outcome<std::vector<ModelInfo>>> AnthropicProvider::models() {
  const auto body = co_await upstream_.ask("GET", "/models", headers(), {});
  if (!body) co_return body.error();
  auto listed = listed_in(*body, "data", "id", upstream_.name());
  if (!listed) co_return upstream_.fail(Fault::bad_answer, no_list);
  co_return std::move(*listed);
}

web::FetchHeaders GoogleProvider::headers() const { return {{"x-goog-api-key", upstream_.key()}}; }

std::optional<std::string> GoogleProvider::cannot(const ChatRequest& request) const { return google::cannot(request); }

web::Task<Outcome<ChatAnswer>> GoogleProvider::complete(ChatRequest request, Listener* listener) {
  auto body = json::serialize(google::to_wire(request));
  const auto path = "/models/" + request.model;
  if (listener) {
    co_return co_await streamed_answer<google::AnswerStream>(upstream_, path + ":streamGenerateContent?alt=sse",
                                                             headers(), std::move(body), request, *listener,
                                                             google::parse_answer);
  }
  co_return co_await whole_answer(upstream_, path + ":generateContent", headers(), std::move(body), request,
                                  google::parse_answer);
}

web::Task<Outcome<std::vector<ModelInfo>>> GoogleProvider::models() {
  const auto body = co_await upstream_.ask("GET", "/models", headers(), {});
  if (!body) co_return body.error();
  auto listed = listed_in(*body, "models", "name", upstream_.name());
  if (!listed) co_return upstream_.fail(Fault::bad_answer, no_list);
  co_return std::move(*listed);
}

}  // namespace models
