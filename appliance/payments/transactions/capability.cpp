#include "appliance/payments/module.h"

namespace transactions {

namespace {

// Without rows: others send through Module::sender.
struct Services {};

struct Parts {
  explicit Parts(payments::Module& module) : sender(module.sender) {}
  static Services services() { return {}; }
  web::Task<> start() {
    sender.start();
    co_return;
  }
  web::Task<> stop() { return sender.stop(); }

  Sender& sender;
};

}  // namespace

payments::Capability capability() {
  return payments::Capability::of<Parts>({.tables = {store::describe(table), store::describe(next_nonces)}});
}

}  // namespace transactions
