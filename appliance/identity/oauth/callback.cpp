#include "appliance/identity/oauth/callback.h"

namespace oauth {

CallbackQuery callback_query(const web::Request& request) {
  auto query = web::parse_query<CallbackQuery>(request);
  return query ? std::move(*query) : CallbackQuery{};
}

}  // namespace oauth
