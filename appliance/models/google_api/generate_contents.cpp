// The contents of a request: generate_reading.h.
#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/models/google_api/generate_reading.h"
#include "appliance/models/google_api/generate_wire.h"
#include "appliance/models/providers/openai_wire.h"
#include "web/blank.h"

namespace models::generate {

namespace json = boost::json;

namespace {

using Problem = std::optional<web::Error>;

constexpr std::string_view google_provider = "google", thought_format = "google-gemini-v1";
// Clients send it for a call whose signature they do not have.
constexpr std::string_view no_signature = "skip_thought_signature_validator";

// Python's client writes base64 in the alphabet for addresses.
std::string standard_base64(std::string data) {
  std::ranges::replace(data, '-', '+');
  std::ranges::replace(data, '_', '/');
  constexpr std::size_t group = 4;
  data.resize((data.size() + group - 1) / group * group, '=');
  return data;
}

std::optional<PartKind> kind_of(std::string_view type) {
  if (type.starts_with("image/")) return PartKind::image;
  if (type.starts_with("audio/")) return PartKind::audio;
  if (type.starts_with("application/")) return PartKind::file;
  return std::nullopt;
}

// {inlineData: {mimeType, data}} or {fileData: {mimeType, fileUri}}: an image, audio, a file or a text.
Problem read_media(const json::object& part, const std::string& where, ContentBuilder& content) {
  if (const auto* inline_data = object_of(part, "inlineData")) {
    const auto type = text_of(*inline_data, "mimeType"), data = standard_base64(text_of(*inline_data, "data"));
    const auto kind = kind_of(type);
    const bool is_text = type.starts_with("text/");
    if (!is_media_type(type) || !is_base64(data) || (!kind && !is_text))
      return web::invalid(where + ".inlineData must be {mimeType, data}: an image, audio, text or a file, in base64");
    if (!is_text) {
      content.add_file(
          {.url = "data:" + type + ";base64," + data, .name = text_of(*inline_data, "displayName"), .kind = *kind});
      return std::nullopt;
    }
    const auto text = crypto::from_base64(data);
    if (!text) return web::invalid(where + ".inlineData.data must be base64");
    content.add_text(*text);
    return std::nullopt;
  }
  const auto* file = object_of(part, "fileData");
  if (!file) return web::invalid(where + ".fileData must be an object");
  const auto type = text_of(*file, "mimeType"), url = text_of(*file, "fileUri");
  const auto kind = type.empty() ? std::optional(PartKind::image) : kind_of(type);
  if (!kind || !is_public_url(url))
    return web::invalid(where + ".fileData must be {mimeType, fileUri}: an https: or public http: address");
  content.add_file({.url = url, .kind = *kind});
  return std::nullopt;
}

// What models read of a response. The AI SDK wraps it in {name, content}; {output} and {result} are Google's ways to
// send a plain value.
std::string response_text(const json::object& response) {
  const json::value* plain = nullptr;
  if (response.size() == 2 && response.contains("name")) plain = response.if_contains("content");
  for (const auto* name : {"output", "result"})
    if (response.size() == 1 && !plain) plain = response.if_contains(name);
  if (!plain) return json_text(response);
  return plain->is_string() ? std::string(plain->get_string()) : json_text(*plain);
}

// Calls and their results, which may have no ids: results then belong to the earliest open call of their function.
class CallIds {
 public:
  std::string of_call(std::string id, const std::string& function) {
    if (id.empty()) id = "unnamed_call_" + std::to_string(++unnamed_);
    open_.push_back({id, function});
    return id;
  }

  std::string of_result(std::string id, const std::string& function) {
    auto found =
        id.empty() ? std::ranges::find(open_, function, &Open::function) : std::ranges::find(open_, id, &Open::id);
    if (found != open_.end()) {
      id = found->id;
      open_.erase(found);
    }
    return id.empty() ? "unnamed_call_" + std::to_string(++unnamed_) : id;
  }

 private:
  struct Open {
    std::string id, function;
  };
  std::vector<Open> open_;
  std::size_t unnamed_ = 0;
};

// Reads one content. Results of functions are messages of their own in the internal form.
class ContentReader {
 public:
  ContentReader(std::vector<Message>& messages, CallIds& ids, Role role)
      : messages_(messages), ids_(ids), message_{.role = role} {}

  Problem read(const json::object& content, const std::string& where) {
    const auto* list = member(content, "parts");
    const auto* parts = list ? list->if_array() : nullptr;
    if (list && !parts) return web::invalid(where + ".parts must be an array");
    for (std::size_t i = 0; parts && i < parts->size(); ++i) {
      const auto place = at(where + ".parts", i);
      const auto* each = (*parts)[i].if_object();
      if (!each) return web::invalid(place + " must be an object");
      if (auto problem = read_part(*each, place)) return problem;
    }
    content_.finish();
    keep_thoughts();
    // Blank messages are left out: vendors refuse them.
    const bool is_blank = message_.role == Role::user && web::is_blank(message_.content) && message_.parts.empty();
    if (!is_blank && !is_empty(message_)) messages_.push_back(std::move(message_));
    return std::nullopt;
  }

 private:
  Problem read_part(const json::object& part, const std::string& where) {
    const bool is_model = message_.role == Role::assistant;
    if (const auto* call = member(part, "functionCall"); call && is_model) return read_call(part, *call, where);
    if (const auto* response = member(part, "functionResponse"); response && message_.role == Role::user)
      return read_response(*response, where);
    if (const auto* text = member(part, "text")) {
      if (!text->is_string()) return web::invalid(where + ".text must be a string");
      const auto* thought = member(part, "thought");
      const bool is_thought = is_model && thought && *thought == true;
      if (is_thought)
        thoughts_ += std::string_view(text->get_string());
      else
        content_.add_text(text->get_string());
      if (is_model) read_signature(part);
      return std::nullopt;
    }
    const bool is_media = member(part, "inlineData") || member(part, "fileData");
    // Images that the model has made are not sent back: no vendor but Google takes them.
    if (is_media && is_model) return std::nullopt;
    if (is_media && message_.role == Role::user) return read_media(part, where, content_);
    // Some clients keep empty parts of a stream.
    if (is_model && is_empty_part(part)) {
      read_signature(part);
      return std::nullopt;
    }
    return web::invalid(where + " must have " +
                        (is_model                        ? "text or functionCall"
                         : message_.role == Role::system ? "text"
                                                         : "text, inlineData, fileData or functionResponse"));
  }

  static bool is_empty_part(const json::object& part) {
    return std::ranges::all_of(part, [](const auto& field) {
      const auto name = camel_case(field.key());
      return name == "thoughtSignature" || name == "thought" || name == "partMetadata" || field.value().is_null();
    });
  }

  // Of a part without a call.
  void read_signature(const json::object& part) {
    auto signature = text_of(part, "thoughtSignature");
    if (signature.empty() || signature == no_signature) return;
    if (auto kept = unpack(signature))
      add(std::move(kept->reasoning));
    else
      own_signature_ = std::move(signature);
  }

  void add(std::vector<Reasoning> blocks) {
    for (auto& block : blocks) message_.reasoning.push_back(std::move(block));
  }

  // Thoughts are there to be seen; what goes back to a model is in the signatures.
  void keep_thoughts() {
    if (!own_signature_.empty())
      message_.reasoning.push_back({.provider = std::string(google_provider),
                                    .text = std::move(thoughts_),
                                    .signature = std::move(own_signature_),
                                    .format = std::string(thought_format)});
    else if (message_.reasoning.empty() && !thoughts_.empty())
      message_.reasoning.push_back({.text = std::move(thoughts_)});
  }

  Problem read_call(const json::object& part, const json::value& value, const std::string& where) {
    const auto* object = value.if_object();
    if (!object) return web::invalid(where + ".functionCall must be an object");
    ToolCall call{.name = text_of(*object, "name")};
    if (call.name.empty()) return web::invalid(where + ".functionCall.name must be a string");
    call.id = ids_.of_call(text_of(*object, "id"), call.name);
    const auto* args = member(*object, "args");
    if (args && !args->is_object()) return web::invalid(where + ".functionCall.args must be an object");
    call.arguments = args ? json_text(*args) : "{}";
    auto signature = text_of(part, "thoughtSignature");
    if (auto kept = unpack(signature)) {
      call.signature = std::move(kept->signature);
      call.signed_by = std::move(kept->signed_by);
      add(std::move(kept->reasoning));
    } else if (!signature.empty() && signature != no_signature) {
      call.signature = std::move(signature);
      call.signed_by = google_provider;
    }
    message_.tool_calls.push_back(std::move(call));
    return std::nullopt;
  }

  Problem read_response(const json::value& value, const std::string& where) {
    const auto* object = value.if_object();
    const auto name = object ? text_of(*object, "name") : std::string();
    if (name.empty()) return web::invalid(where + ".functionResponse.name must be a string");
    const auto* response = object_of(*object, "response");
    if (!response) return web::invalid(where + ".functionResponse.response must be an object");
    Message result{.role = Role::tool, .tool_call_id = ids_.of_result(text_of(*object, "id"), name)};
    ContentBuilder content(result);
    content.add_text(response_text(*response));
    if (const auto* list = member(*object, "parts")) {
      const auto* parts = list->if_array();
      if (!parts) return web::invalid(where + ".functionResponse.parts must be an array");
      for (std::size_t i = 0; i < parts->size(); ++i) {
        const auto place = at(where + ".functionResponse.parts", i);
        const auto* part = (*parts)[i].if_object();
        if (!part) return web::invalid(place + " must be an object");
        if (auto problem = read_media(*part, place, content)) return problem;
      }
    }
    content.finish();
    if (result.content.empty() && result.parts.empty()) result.content = "(no output)";
    messages_.push_back(std::move(result));
    return std::nullopt;
  }

  std::vector<Message>& messages_;
  CallIds& ids_;
  Message message_;
  ContentBuilder content_{message_};
  std::string thoughts_, own_signature_;
};

}  // namespace

std::optional<web::Error> read_contents(const json::object& body, ChatRequest& request) {
  CallIds ids;
  if (const auto* value = member(body, "systemInstruction")) {
    const auto* content = value->if_object();
    if (!content) return web::invalid("systemInstruction must be an object");
    if (auto problem = ContentReader(request.messages, ids, Role::system).read(*content, "systemInstruction"))
      return problem;
  }
  const auto* contents = member(body, "contents");
  if (!contents) return web::invalid("contents is required");
  const auto* list = contents->if_array();
  if (!list || list->empty()) return web::invalid("contents must be a non-empty array");
  if (list->size() > openai::max_messages)
    return web::invalid("contents must have at most " + std::to_string(openai::max_messages) + " entries");
  const auto before = request.messages.size();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto where = at("contents", i);
    const auto* content = (*list)[i].if_object();
    if (!content) return web::invalid(where + " must be an object");
    const auto role = text_of(*content, "role");
    if (!role.empty() && role != "user" && role != "model" && role != "function")
      return web::invalid(where + ".role must be one of: user, model, function");
    ContentReader reader(request.messages, ids, role == "model" ? Role::assistant : Role::user);
    if (auto problem = reader.read(*content, where)) return problem;
  }
  if (request.messages.size() == before) return web::invalid("contents must have text, files or calls");
  return std::nullopt;
}

}  // namespace models::generate
