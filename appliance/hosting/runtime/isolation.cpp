#include "appliance/hosting/runtime/isolation.h"

namespace runtime {

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : ", ").append(text);
  return all;
}

}  // namespace

std::string to_string(const Isolation& isolation) {
  std::string text = boost::describe::enum_to_string(isolation.level, "none");
  if (!isolation.by.empty()) text += ": " + joined(isolation.by);
  if (!isolation.lacks.empty()) text += "; without " + joined(isolation.lacks);
  return text;
}

}  // namespace runtime
