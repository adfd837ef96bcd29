// The header lines that every answer carries, made once.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace web {

class SecurityHeaders {
 public:
  // `browser`: pages are served here, so HTML gets the content security policy.
  explicit SecurityHeaders(bool browser);

  // Complete lines for one answer; alive as long as this. `page`: HTML. `own_caching`: the answer has a Cache-Control.
  std::string_view lines(bool page, bool secure, bool own_caching) const {
    return blocks_[(page ? 1u : 0u) | (secure ? 2u : 0u) | (own_caching ? 4u : 0u)];
  }

 private:
  std::array<std::string, 8> blocks_;
};

}  // namespace web
