// A certificate from an authority for the web listener. No rows: the listeners answer the authority's challenges.
#include "appliance/box/acme/renewal.h"
#include "appliance/box/module.h"

namespace acme {

namespace {

struct Services {};

struct Parts {
  explicit Parts(box::Module& module) : renewal(module.certificate) {}
  static Services services() { return {}; }
  web::Task<> start() {
    renewal.start();
    co_return;
  }
  web::Task<> stop() { return renewal.stop(); }

  Renewal& renewal;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({}); }

}  // namespace acme
