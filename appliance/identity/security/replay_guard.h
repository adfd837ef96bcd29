// What may be used a single time: sign-in nonces, OAuth states, one-time codes.
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

// Only what was used is stored, so that handing out costs nothing: whoever asks must be able to tell by the text itself
// that it was handed out and until when it is good. Callable from every thread; must not outlive the store.
class ReplayGuard {
 public:
  explicit ReplayGuard(store::System system) : system_(std::move(system)) {}

  // True the first time for these texts, also across restarts; of several callers at once, for one. `until`: when the
  // text is refused for its age anyway, and need not be remembered any more.
  web::Task<bool> use(std::string kind, std::string text, store::Time until);
  bool is_used(std::string_view kind, std::string_view text) const;
  web::Task<> sweep(store::Time now);

 private:
  store::System system_;
};

}  // namespace security
