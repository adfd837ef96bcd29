#include "appliance/models/openai_api/recent_items.h"

#include <boost/json.hpp>

#include "web/json.h"

namespace models::openai_api {

namespace json = boost::json;

void RecentItems::drop_oldest() {
  bytes_ -= items_.front().text.size();
  by_id_.erase(items_.front().id);
  items_.pop_front();
}

void RecentItems::add(std::int64_t user, const json::array& output, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : output) {
    Item item{.id = web::string_member(entry, "id"), .text = json::serialize(entry), .user = user, .at = now};
    if (item.id.empty() || item.text.size() > max_bytes_ || by_id_.contains(item.id)) continue;
    bytes_ += item.text.size();
    items_.push_back(std::move(item));
    by_id_.emplace(items_.back().id, std::prev(items_.end()));
  }
  while (!items_.empty() && (bytes_ > max_bytes_ || items_.front().at + lifetime < now)) drop_oldest();
}

std::optional<json::object> RecentItems::find(std::int64_t user, std::string_view id, Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  const auto& item = *found->second;
  if (item.user != user || item.at + lifetime < now) return std::nullopt;
  return json::parse(item.text).as_object();
}

}  // namespace models::openai_api
