#include "store/engine_log.h"

#include <utility>

namespace store {
namespace {

EngineLog& current() {
  static EngineLog log;
  return log;
}

}  // namespace

void set_engine_log(EngineLog log) { current() = std::move(log); }
const EngineLog& engine_log() { return current(); }

}  // namespace store
