// Keys and tokens in agents' configs: stored encrypted, never shown again.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

namespace agents {

// A config in two parts. In `shown` every secret is masked as {"sealed": true}; `secrets` has the values by JSON
// pointer (RFC 6901).
struct SplitConfig {
  boost::json::object shown, secrets;
};

// A secret is a string whose name ends in key, token, secret or password, in any case. A mask in `config` keeps the
// secret of that place in `before`; a mask without one is dropped.
SplitConfig split_config(boost::json::object config, const boost::json::object& before);

// {"sealed": true}
bool is_mask(const boost::json::value&);

bool names_a_secret(std::string_view member);

}  // namespace agents
