#include "appliance/media/stream_webhooks/payload.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/foundation/timestamp.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace stream_webhooks {

namespace json = boost::json;

namespace {

const json::value* member(const json::value* value, std::string_view name) {
  const auto* object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(name) : nullptr;
}

std::optional<double> number_of(const json::value* value) {
  if (!value || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

// Of a video track, whichever way round it is: 1080 for 1920x1080 and for 1080x1920.
std::optional<int> height_of_tracks(const json::value* tracks) {
  std::optional<int> highest;
  if (!tracks || !tracks->is_array()) return highest;
  for (const auto& track : tracks->get_array()) {
    const auto width = number_of(member(&track, "max_width")), height = number_of(member(&track, "max_height"));
    if (web::string_or_empty(member(&track, "type")) != "video" || !height) continue;
    const int lines = static_cast<int>(std::min(std::min(*height, width.value_or(*height)), 100'000.0));
    highest = std::max(highest.value_or(0), lines);
  }
  return highest;
}

std::optional<int> height_of_name(std::string_view name) {
  struct Known {
    std::string_view name;
    int height;
  };
  // Tiers, then the names of max_stored_resolution.
  constexpr Known known[] = {{"audio-only", 0}, {"720p", 720}, {"1080p", 1080}, {"1440p", 1440}, {"2160p", 2160},
                             {"Audio only", 0}, {"SD", 480},   {"HD", 720},     {"FHD", 1080},   {"UHD", 2160}};
  const auto* const found = std::ranges::find(known, name, &Known::name);
  return found == std::end(known) ? std::nullopt : std::optional(found->height);
}

AssetFacts facts_of(const json::value* data) {
  AssetFacts facts{.duration = number_of(member(data, "duration")), .height = height_of_tracks(member(data, "tracks"))};
  for (const std::string_view name : {"resolution_tier", "max_stored_resolution"})
    if (!facts.height) facts.height = height_of_name(web::string_or_empty(member(data, name)));
  return facts;
}

}  // namespace

web::Result<Payload> parse(std::string_view body, store::Time now) {
  const auto value = web::parse_json(body);
  if (!value) return value.error();
  if (!value->is_object()) return web::invalid("Body must be a JSON object");
  const auto* data = member(&*value, "data");
  Payload payload{
      .type = web::string_or_empty(member(&*value, "type")),
      .id = web::string_or_empty(member(&*value, "id")),
      .object = web::string_or_empty(member(data, "id")),
      .created_at = agentbox::parse_timestamp(web::string_or_empty(member(&*value, "created_at"))).value_or(now),
      .live_stream = web::string_or_empty(member(data, "live_stream_id")),
      .asset = facts_of(data)};
  if (payload.type.empty()) return web::invalid("type is required");
  if (payload.object.empty()) payload.object = web::string_or_empty(member(member(&*value, "object"), "id"));
  return payload;
}

}  // namespace stream_webhooks
