#include "appliance/identity/wallet_sign_in/handlers.h"

#include "appliance/identity/sign_in/http.h"
#include "web/routes/reply.h"

namespace wallet_sign_in {

web::Answer issue_nonce(const Services& services, const web::Request&) {
  const NonceView answer{services.wallets.nonce()};
  co_return web::reply(answer, 200);
}

web::Answer sign_in_with_wallet(const Services& services, const web::Request& request, SignedMessage form) {
  auto entry = audit::of_request(request, "sign-in by wallet", form.address);
  Proof proof{.address = std::move(form.address),
              .message = std::move(form.message),
              .signature = std::move(form.signature),
              .invite_code = std::move(form.inviteCode)};
  auto user = co_await services.wallets.sign_in(std::move(proof));
  auto client = sign_in::client_of(request);
  const auto result = co_await services.sign_in.begin(std::move(client), std::move(entry), std::move(user));
  if (!result) co_return result.error();
  co_return sign_in::reply(*result);
}

}  // namespace wallet_sign_in
