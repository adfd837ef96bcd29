// Keys and tokens that owners write into an agent's config: kept sealed, never shown again.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

namespace agents {

// A config in two parts. In `shown` every secret is replaced by {"sealed": true}; `secrets` has their values by JSON
// pointer (RFC 6901).
struct SplitConfig {
  boost::json::object shown, secrets;
};

// A secret is a text whose name ends in key, token, secret or password, in any case. Where `wanted` has a mask, as read
// before, the secret of that place stays as it is in `before`; a mask where there is none is dropped.
SplitConfig split_config(boost::json::object wanted, const boost::json::object& before);

// {"sealed": true}, as a secret is shown.
bool is_mask(const boost::json::value&);

bool names_a_secret(std::string_view member);

}  // namespace agents
