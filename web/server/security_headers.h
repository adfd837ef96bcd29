// The header lines of every response, built once.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace web {

class SecurityHeaders {
 public:
  // `browser`: the listener serves pages, so HTML gets the content security policy.
  explicit SecurityHeaders(bool browser);

  // Complete lines for one response, valid as long as this object. `page`: HTML. `own_caching`: the response has a
  // Cache-Control. `own_policy`: it has a Content-Security-Policy, which also says who may frame it.
  std::string_view lines(bool page, bool secure, bool own_caching, bool own_policy) const {
    return blocks_[(page ? 1u : 0u) | (secure ? 2u : 0u) | (own_caching ? 4u : 0u) | (own_policy ? 8u : 0u)];
  }

 private:
  std::array<std::string, 16> blocks_;
};

}  // namespace web
