#include "summarizer/egress.h"

#include <algorithm>

namespace summarizer {

std::string egress_text(const std::vector<std::string>& hosts) {
  std::string text;
  for (const auto& host : hosts) text.append(text.empty() ? "" : ",").append(host);
  return text.empty() ? "," : text;  // an empty list admits none
}

Egress egress_of(const web::Request& request) {
  std::string_view rest = request.header(egress_header);
  if (rest.empty()) return std::nullopt;
  std::vector<std::string> hosts;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    if (end > 0) hosts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return hosts;
}

bool admits(const Egress& egress, std::string_view host) {
  return !egress || std::ranges::any_of(*egress, [host](const std::string& allowed) {
    return allowed.starts_with('.') ? host.size() > allowed.size() && host.ends_with(allowed) : host == allowed;
  });
}

}  // namespace summarizer
