// Payments from the agent's own wallet. The box keeps its key, and makes the payments that its owner's rules allow.
#include <boost/json.hpp>

#include "appliance/agent/tools/box_client.h"
#include "appliance/agent/tools/toolbox.h"

namespace agent_process {

namespace json = boost::json;

namespace {

struct PaymentArguments {
  web::Text<1, 64> to;
  web::Text<1, 40> amount;
  std::optional<web::Text<1, 100>> reference;
  std::optional<web::Text<0, 200>> memo;
  Reason why;
};
BOOST_DESCRIBE_STRUCT(PaymentArguments, (), (to, amount, reference, memo, why))

struct NoWalletArguments {};
BOOST_DESCRIBE_STRUCT(NoWalletArguments, (), ())

}  // namespace

std::vector<Tool> payment_tools(const std::string& backend_url, const std::string& box_token) {
  const BoxClient client{backend_url + "/api/agent-payments", box_token};
  return {
      tool<PaymentArguments>(
          "pay_usdc",
          "Pay USDC from your own wallet. to: the receiver's address (0x...); amount: a decimal number such as 2.5; "
          "reference: your own name for this payment, under which it is made once, however often you ask. Above what "
          "your "
          "owner allows, the payment waits for approval (state: waiting); why: a sentence for your owner.",
          [client](PaymentArguments arguments) -> web::Task<web::Result<json::value>> {
            json::object body{{"to", arguments.to}, {"amount", arguments.amount}};
            if (arguments.reference) body["idempotencyKey"] = *arguments.reference;
            if (arguments.memo) body["memo"] = *arguments.memo;
            if (arguments.why) body["why"] = *arguments.why;
            co_return co_await client.call("POST", "", std::move(body));
          }),
      tool<NoWalletArguments>("show_wallet",
                              "Show your own wallet: its address, its balance in USDC, what you may still pay today, "
                              "and your newest payments.",
                              [client](NoWalletArguments) -> web::Task<web::Result<json::value>> {
                                json::object body;
                                co_return co_await client.call("GET", "", std::move(body));
                              }),
  };
}

}  // namespace agent_process
