// Single-use tokens: sign-in nonces, OAuth states, tickets, ID tokens.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <string_view>

#include "store/store.h"
#include "web/task.h"

namespace security {

struct Used {
  std::string id;  // the kind, a colon, and the SHA-256 of what was used, in hex
  store::Time expires_at{};
};
BOOST_DESCRIBE_STRUCT(Used, (), (id, expires_at))

inline const store::Global<Used> used_once{
    {.family = "used_once", .number = 6}, &Used::id, {store::index<Used>(1, "expires", &Used::expires_at)}};

// Stores only used tokens, so that issuing one costs nothing. The caller must be able to see from the token itself
// that it was issued and until when it is valid. Callable from every thread; must not outlive the store.
class ReplayGuard {
 public:
  explicit ReplayGuard(store::System system) : system_(std::move(system)) {}

  // True the first time for these texts, also across restarts; for one of several concurrent callers. `until`: when the
  // text expires, so that it need not be stored any longer.
  web::Task<bool> use(std::string kind, std::string text, store::Time until);
  bool is_used(std::string_view kind, std::string_view text) const;
  web::Task<> sweep(store::Time now);

 private:
  store::System system_;
};

}  // namespace security
