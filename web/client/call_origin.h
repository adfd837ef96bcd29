// On whose behalf the box connects to somewhere.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace web {

struct CallOrigin {
  std::string part = "box";  // of the box: models, mail, git, ...
  std::int64_t user = 0;     // 0: none
  std::string agent;         // empty: none

  auto operator<=>(const CallOrigin&) const = default;
};

}  // namespace web
