#include "appliance/identity/sign_in/handlers.h"

#include "appliance/identity/sign_in/http.h"
#include "web/protocol/set_cookie.h"

namespace sign_in {

web::Answer verify_second_factor(const Services& services, const web::Request& request, second_factor::Proof proof) {
  auto client = client_of(request);
  const auto result = co_await services.sign_in.resume(std::move(client), std::move(proof));
  if (!result) co_return result.error();
  co_return web::with_cookie(reply(*result), SignIn::cleared_ticket(request.secure));
}

}  // namespace sign_in
