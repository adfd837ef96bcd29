#include "appliance/models/providers/repair.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>
#include <set>

#include "web/ascii.h"
#include "web/blank.h"
#include "web/json.h"

namespace models {

namespace json = boost::json;

namespace {

constexpr std::size_t max_id_bytes = 64;

// Gives out ids that no other call of the conversation has.
class CallIds {
 public:
  std::string unique(std::string_view wanted) {
    std::string id(wanted.substr(0, max_id_bytes));
    std::ranges::replace_if(
        id, [](char c) { return !is_id_character(c); }, '_');
    if (!id.empty() && used_.insert(id).second) return id;
    for (;;) {
      const auto suffix = "_" + std::to_string(++last_);
      auto next = (id.empty() ? std::string("call") : id.substr(0, max_id_bytes - suffix.size())) + suffix;
      if (used_.insert(next).second) return next;
    }
  }

 private:
  static bool is_id_character(char c) { return web::is_alphanumeric(c) || c == '_' || c == '-'; }
  std::set<std::string, std::less<>> used_;
  int last_ = 0;
};

// The results of the calls of the message at `at`, in the order of the calls. They are taken out of what follows it, up
// to the next message of the assistant.
std::vector<Message> take_results(std::vector<Message>& messages, std::size_t at) {
  const auto begin = messages.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  auto end = std::find_if(begin, messages.end(), [](const auto& each) { return each.role == Role::assistant; });
  std::vector<Message> results;
  for (const auto& call : messages[at].tool_calls) {
    const auto found = std::find_if(
        begin, end, [&](const Message& each) { return each.role == Role::tool && each.tool_call_id == call.id; });
    if (found == end) {
      results.push_back({.role = Role::tool, .content = std::string(missing_result_note)});
      continue;
    }
    results.push_back(std::move(*found));
    messages.erase(found);
    --end;
  }
  return results;
}

void make_users(Message& result) {
  result.role = Role::user;
  result.tool_call_id.clear();
  auto text = std::string(missing_call_note);
  if (!web::is_blank(result.content)) text += "\n" + result.content;
  result.content = std::move(text);
  if (!result.parts.empty()) result.parts.insert(result.parts.begin(), Part{.text = std::string(missing_call_note)});
}

bool is_foreign(std::string_view made_by, std::string_view provider) { return !made_by.empty() && made_by != provider; }

constexpr std::array<const char*, 3> alternatives{"anyOf", "oneOf", "allOf"};

// Puts what a reference at the top level refers to (#/$defs/...) in its place: vendors want a type there.
void resolve_reference(json::object& schema) {
  constexpr int max_steps = 8;  // references may form a circle
  for (int step = 0; step < max_steps && schema.contains("$ref"); ++step) {
    const auto path = web::string_member(schema, "$ref");
    boost::system::error_code error;
    const json::value whole(schema);
    const auto* target = path.starts_with("#/") ? whole.find_pointer(path.substr(1), error) : nullptr;
    if (!target || !target->is_object()) return;
    schema.erase("$ref");
    for (const auto& member : target->get_object()) schema.emplace(member.key(), member.value());
  }
}

std::set<std::string> required_in(const json::object& schema) {
  std::set<std::string> names;
  if (const auto* list = web::array_member(schema, "required"))
    for (const auto& name : *list)
      if (name.is_string()) names.insert(std::string(name.get_string()));
  return names;
}

// Adds the properties of `branches`; returns the names that all of them require, or any of them for allOf.
std::set<std::string> merge_branches(const json::array& branches, bool is_all_of, json::object& properties) {
  std::set<std::string> required;
  bool is_first = true;
  for (const auto& entry : branches) {
    const auto* branch = entry.if_object();
    if (!branch) continue;
    if (const auto* more = web::object_member(*branch, "properties"))
      for (const auto& property : *more) properties.emplace(property.key(), property.value());
    auto names = required_in(*branch);
    if (is_first || is_all_of) {
      required.merge(names);
    } else {
      std::erase_if(required, [&](const auto& name) { return !names.contains(name); });
    }
    is_first = false;
  }
  return required;
}

}  // namespace

void repair_calls(std::vector<Message>& messages) {
  CallIds ids;
  for (std::size_t at = 0; at < messages.size(); ++at) {
    if (messages[at].role == Role::tool) make_users(messages[at]);
    if (messages[at].tool_calls.empty()) continue;
    auto results = take_results(messages, at);
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto& call = messages[at].tool_calls[i];
      call.id = ids.unique(call.id);
      results[i].tool_call_id = call.id;
    }
    messages.insert(messages.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::make_move_iterator(results.begin()),
                    std::make_move_iterator(results.end()));
    at += results.size();
  }
}

void keep_reasoning_of(std::string_view provider, std::vector<Message>& messages) {
  for (auto& message : messages) {
    std::erase_if(message.reasoning, [&](const auto& block) { return is_foreign(block.provider, provider); });
    for (auto& call : message.tool_calls)
      if (is_foreign(call.signed_by, provider)) call.signature.clear();
  }
}

bool are_blank(const std::vector<Message>& messages) {
  return std::ranges::all_of(messages, [](const Message& message) {
    const bool is_text = message.role != Role::tool && message.tool_calls.empty();
    const auto is_blank_part = [](const Part& part) { return part.is_text() && web::is_blank(part.text); };
    return is_text && web::is_blank(message.content) && web::is_blank(message.refusal) &&
           std::ranges::all_of(message.parts, is_blank_part);
  });
}

json::object completed_schema(const json::value& parameters) {
  const auto* given = parameters.if_object();
  auto schema = given ? *given : json::object();
  resolve_reference(schema);
  const auto* type = schema.if_contains("type");
  const auto* types = type ? type->if_array() : nullptr;
  const bool may_be_object = types && std::ranges::find(*types, json::value("object")) != types->end();
  if (!type || may_be_object) schema["type"] = "object";
  if (!schema.contains("properties") && schema["type"] == "object") schema["properties"] = json::object();
  return schema;
}

json::object flat_schema(const json::value& parameters, std::string& description) {
  auto schema = completed_schema(parameters);
  auto properties = web::object_member(schema, "properties") ? schema["properties"].as_object() : json::object();
  auto required = required_in(schema);
  for (const auto* name : alternatives) {
    const auto* branches = web::array_member(schema, name);
    if (!branches) continue;
    const json::object shown{{name, *branches}};
    description += (description.empty() ? "" : "\n") + std::string("The arguments must match this schema: ") +
                   json::serialize(shown);
    required.merge(merge_branches(*branches, std::string_view(name) == "allOf", properties));
    schema.erase(name);
    schema["type"] = "object";
    schema["properties"] = properties;
    json::array list;
    for (const auto& each : required) list.push_back(json::value(each));
    schema["required"] = std::move(list);
  }
  return schema;
}

}  // namespace models
