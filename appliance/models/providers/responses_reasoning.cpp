#include "appliance/models/providers/responses_reasoning.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/models/providers/openai_reasoning.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models::responses {

namespace json = boost::json;

namespace {

json::array joined_summaries(const json::object& item) {
  std::string text;
  const auto* summaries = web::array_member(item, "summary");
  for (const auto& each : summaries ? *summaries : json::array()) {
    if (!text.empty()) text += "\n\n";
    text += web::string_member(each, "text");
  }
  if (text.empty()) return {};
  return openai::details_to_wire({{.text = std::move(text), .is_summary = true}}, true);
}

}  // namespace

std::string encode_block(const Reasoning& block) {
  const auto details = openai::details_to_wire({block}, true);
  return crypto::to_base64(json::serialize(details.front()));
}

std::string encode_signature(std::string_view call_id, std::string_view signature, std::string_view signed_by) {
  const json::object content{
      {"call_id", call_id},
      {"extra_content", openai::signature_to_wire(std::string(signature), std::string(signed_by))}};
  return crypto::to_base64(json::serialize(content));
}

std::optional<ReasoningItem> parse_reasoning_item(const json::object& item) {
  const auto encrypted = web::string_member(item, "encrypted_content");
  if (encrypted.empty()) {
    auto details = joined_summaries(item);
    if (details.empty()) return std::nullopt;
    return ReasoningItem{.detail = std::move(details.front().as_object())};
  }
  const auto text = crypto::from_base64(encrypted);
  const auto value = parse_object(text ? *text : std::string_view());
  const auto* content = value.if_object();
  if (!content) return std::nullopt;
  if (const auto* extra = web::object_member(*content, "extra_content"))
    return ReasoningItem{
        .detail = std::nullopt, .call_id = web::string_member(*content, "call_id"), .extra_content = *extra};
  if (!web::string_member(*content, "type").starts_with("reasoning.")) return std::nullopt;
  return ReasoningItem{.detail = *content};
}

}  // namespace models::responses
