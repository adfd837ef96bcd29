#include "summarizer/bounds.h"

#include <algorithm>

#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {

void describe(boost::json::object& meta, std::string_view name, std::string_view content) {
  const std::string key = web::lower_case(collapsed(name, max_label));
  if (key != "description" && !key.starts_with("og:") && !key.starts_with("twitter:")) return;
  std::string value = collapsed(content, max_meta_value);
  if (!value.empty() && meta.size() < max_meta) meta.emplace(key, std::move(value));
}

std::string description_of(const boost::json::object& meta) {
  for (const std::string_view name : {"description", "og:description", "twitter:description"}) {
    const auto* value = meta.if_contains(name);
    if (value && !value->as_string().empty()) return std::string(value->as_string());
  }
  return {};
}

}  // namespace summarizer
