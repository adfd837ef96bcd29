// Reasoning in OpenAI's responses: items of type reasoning. A block, or the signature of a call, is in the item's
// encrypted_content, base64 of JSON, which clients send back unchanged.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/models/chat.h"

namespace models::responses {

std::string encode_block(const Reasoning&);
std::string encode_signature(std::string_view call_id, std::string_view signature, std::string_view signed_by);

// What an item of a client holds. Not set: neither, such as the content of another vendor's item.
struct ReasoningItem {
  std::optional<boost::json::object> detail;  // of reasoning_details
  std::string call_id;                        // not empty: the call with this extra_content
  boost::json::object extra_content;
};
std::optional<ReasoningItem> parse_reasoning_item(const boost::json::object& item);

}  // namespace models::responses
