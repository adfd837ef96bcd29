// What a provider's webhook says, as far as the box uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/media/stream_webhooks/asset_rule.h"
#include "store/codec.h"
#include "web/result.h"

namespace stream_webhooks {

struct Payload {
  std::string type, id;  // the id is the event's; may be empty
  std::string object;    // the id of the stream or the asset
  store::Time created_at{};
  std::string live_stream;  // of an asset; may be empty
  AssetFacts asset;
};

// invalid unless the text is a JSON object with a type.
web::Result<Payload> parse(std::string_view body, store::Time now);

}  // namespace stream_webhooks
