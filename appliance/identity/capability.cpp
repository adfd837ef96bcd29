#include "appliance/identity/capability.h"

namespace agentbox {

RunningCapabilities::~RunningCapabilities() {
  while (!running_.empty()) running_.pop_back();
}

Rows RunningCapabilities::rows(const Guards& guards) {
  Rows all;
  for (const auto& capability : running_) all.add(capability->rows(guards));
  return all;
}

web::Task<> RunningCapabilities::start() {
  for (const auto& capability : running_) co_await capability->start();
}

web::Task<> RunningCapabilities::stop() {
  for (auto it = running_.rbegin(); it != running_.rend(); ++it) co_await (*it)->stop();
}

}  // namespace agentbox
