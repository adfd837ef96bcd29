#include "appliance/hosting/agents/config_secrets.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <string>

#include "web/ascii.h"

namespace agents {

namespace json = boost::json;

namespace {

std::string pointer_to(const std::string& parent, std::string_view member) {
  auto pointer = parent + "/";
  for (const char c : member) c == '~' ? pointer += "~0" : c == '/' ? pointer += "~1" : pointer += c;
  return pointer;
}

class Splitter {
 public:
  explicit Splitter(const json::object& before) : before_(before) {}

  void split(json::object& object, const std::string& at) {
    std::vector<std::string> dropped;
    for (auto& [name, value] : object)
      if (!keep(value, names_a_secret(name), pointer_to(at, name))) dropped.emplace_back(name);
    for (const auto& name : dropped) object.erase(name);
  }
  json::object secrets;

 private:
  // False for a mask without a secret.
  bool keep(json::value& value, bool is_secret, const std::string& at) {
    if (is_mask(value)) {
      const auto* secret = before_.if_contains(at);
      if (secret) secrets[at] = *secret;
      return secret != nullptr;
    }
    if (is_secret && value.is_string() && !value.get_string().empty()) {
      secrets[at] = value;
      value = json::object{{"sealed", true}};
    } else if (auto* object = value.if_object()) {
      split(*object, at);
    } else if (auto* array = value.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i)
        if (!keep((*array)[i], is_secret, at + "/" + std::to_string(i))) (*array)[i] = nullptr;
    }
    return true;
  }

  const json::object& before_;
};

}  // namespace

bool is_mask(const json::value& value) {
  const auto* object = value.if_object();
  const auto* sealed = object && object->size() == 1 ? object->if_contains("sealed") : nullptr;
  return sealed && sealed->is_bool() && sealed->get_bool();
}

bool names_a_secret(std::string_view member) {
  const auto name = web::lower_case(member);
  return std::ranges::any_of(std::initializer_list<std::string_view>{"key", "token", "secret", "password"},
                             [&](std::string_view end) { return name.ends_with(end); });
}

SplitConfig split_config(json::object config, const json::object& before) {
  Splitter splitter(before);
  splitter.split(config, {});
  return {.shown = std::move(config), .secrets = std::move(splitter.secrets)};
}

}  // namespace agents
