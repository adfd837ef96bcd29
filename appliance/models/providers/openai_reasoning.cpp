#include "appliance/models/providers/openai_reasoning.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/models/providers/wire_json.h"
#include "web/json.h"

namespace models::openai {

namespace json = boost::json;

namespace {

std::string text_of_parts(const json::value* value) {
  if (!value) return {};
  if (const auto* text = value->if_string()) return std::string(*text);
  std::string joined;
  if (const auto* parts = value->if_array())
    for (const auto& part : *parts) joined += web::string_member(part, "text");
  return joined;
}

// Not set: a detail of another kind.
std::optional<Reasoning> parse_detail(const json::object& detail) {
  const auto type = web::string_member(detail, "type");
  Reasoning piece{.provider = web::string_member(detail, "provider"),
                  .signature = web::string_member(detail, "signature"),
                  .id = web::string_member(detail, "id"),
                  .format = web::string_member(detail, "format")};
  if (type == "reasoning.text") {
    piece.text = web::string_member(detail, "text");
  } else if (type == "reasoning.summary") {
    piece.text = web::string_member(detail, "summary");
    piece.is_summary = true;
  } else if (type == "reasoning.encrypted") {
    piece.sealed = web::string_member(detail, "data");
  } else {
    return std::nullopt;
  }
  return piece;
}

void take_if_given(std::string& member, std::string& given) {
  if (!given.empty()) member = given;
}

}  // namespace

void ReasoningReader::add(Reasoning piece, bool begins, std::vector<Reasoning>& blocks, Listener* listener) {
  if (blocks.size() >= max_reasoning_blocks && begins) return;
  piece.text = begins ? text_.end() + text_.add(piece.text) : text_.add(piece.text);
  if (begins) {
    blocks.push_back(piece);
  } else {
    auto& block = blocks.back();
    block.text += piece.text;
    take_if_given(block.provider, piece.provider);
    take_if_given(block.signature, piece.signature);
    take_if_given(block.id, piece.id);
    take_if_given(block.format, piece.format);
  }
  if (listener) listener->other({.block = blocks.size() - 1, .reasoning = std::move(piece)});
}

bool ReasoningReader::read_details(const json::array& details, std::vector<Reasoning>& blocks, Listener* listener) {
  bool has_text = false;
  for (const auto& entry : details) {
    const auto* detail = entry.if_object();
    auto piece = detail ? parse_detail(*detail) : std::nullopt;
    if (!piece) continue;
    has_text = has_text || !piece->text.empty();
    const auto index = count_in(*detail, "index");
    const bool begins = blocks.empty() || !piece->sealed.empty() || !blocks.back().sealed.empty() ||
                        piece->is_summary != blocks.back().is_summary || index != index_ ||
                        (!index && !blocks.back().signature.empty());
    index_ = index;
    add(std::move(*piece), begins, blocks, listener);
  }
  return has_text;
}

void ReasoningReader::replace_plain(const json::array& details, std::vector<Reasoning>& blocks, Listener* listener) {
  std::vector<Reasoning> complete;
  for (const auto& entry : details) {
    auto block = entry.is_object() ? parse_detail(entry.get_object()) : std::nullopt;
    if (block && complete.size() < max_reasoning_blocks) complete.push_back(std::move(*block));
  }
  for (std::size_t i = 0; listener && i < complete.size(); ++i) {
    auto rest = complete[i];
    rest.text.clear();  // it has had that
    listener->other({.block = i, .reasoning = std::move(rest)});
  }
  blocks = std::move(complete);
}

void ReasoningReader::read(const json::object& holder, std::vector<Reasoning>& blocks, Listener* listener) {
  const auto* details = web::array_member(holder, "reasoning_details");
  const bool has_plain = holder.contains(reasoning_content_format) || holder.contains(reasoning_format);
  // Only a box names the provider; other servers' details continue what was before.
  const bool is_from_box = details && !details->empty() && !web::string_member(details->front(), "provider").empty();
  if (is_from_box && is_plain_ && !has_plain) {
    is_plain_ = false;
    return replace_plain(*details, blocks, listener);
  }
  // Servers that send details repeat their text beside them.
  if (details && read_details(*details, blocks, listener)) return;
  for (const auto format : {reasoning_content_format, reasoning_format}) {
    auto text = web::string_member(holder, format);
    if (text.empty()) continue;
    const bool begins = blocks.empty() || blocks.back().format != format;
    add({.text = std::move(text), .format = std::string(format)}, begins, blocks, listener);
    is_plain_ = !index_ && std::ranges::all_of(blocks, [&](const auto& block) { return block.format == format; });
    return;
  }
}

bool ReasoningReader::read_part(const json::object& part, std::vector<Reasoning>& blocks, Listener* listener) {
  const auto type = web::string_member(part, "type");
  if (type != "thinking" && type != "reasoning") return false;
  auto text = text_of_parts(part.if_contains(part.contains("thinking") ? "thinking" : "text"));
  if (text.empty()) return true;
  const bool begins = blocks.empty() || blocks.back().format != thinking_part_format;
  add({.text = std::move(text), .format = std::string(thinking_part_format)}, begins, blocks, listener);
  return true;
}

std::string reasoning_text(const std::vector<Reasoning>& blocks) {
  std::string text;
  for (const auto& block : blocks) {
    if (!text.empty() && !block.text.empty()) text += "\n\n";
    text += block.text;
  }
  return text;
}

json::array details_to_wire(const std::vector<Reasoning>& blocks, bool with_provider) {
  std::size_t index = 0;
  json::array details;
  for (const auto& block : blocks) {
    json::object detail{{"index", index++}};
    if (!block.sealed.empty()) {
      detail["type"] = "reasoning.encrypted";
      detail["data"] = block.sealed;
    } else if (block.is_summary) {
      detail["type"] = "reasoning.summary";
      detail["summary"] = block.text;
    } else {
      detail["type"] = "reasoning.text";
      detail["text"] = block.text;
    }
    const auto add = [&detail](const char* name, const std::string& value) {
      if (!value.empty()) detail[name] = value;
    };
    add("signature", block.signature);
    add("id", block.id);
    add("format", block.format);
    if (with_provider) add("provider", block.provider);
    details.push_back(std::move(detail));
  }
  return details;
}

json::object signature_to_wire(const std::string& signature, const std::string& signed_by) {
  json::object google{{"thought_signature", signature}};
  if (!signed_by.empty()) google["provider"] = signed_by;
  return {{"google", std::move(google)}};
}

void read_signature(const json::object& call, ToolCall& into) {
  const auto* extra = web::object_member(call, "extra_content");
  const auto* google = extra ? web::object_member(*extra, "google") : nullptr;
  if (!google) return;
  into.signature = web::string_member(*google, "thought_signature");
  into.signed_by = web::string_member(*google, "provider");
}

}  // namespace models::openai
