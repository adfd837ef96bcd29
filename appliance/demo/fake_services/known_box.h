// Where the box of the demo is, once it runs. Callable from every thread.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "appliance/demo/api.h"

namespace demo {

class KnownBox {
 public:
  void set(Addresses box) {
    const std::lock_guard lock(mutex_);
    box_ = std::move(box);
  }
  std::optional<Addresses> get() const {
    const std::lock_guard lock(mutex_);
    return box_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Addresses> box_;
};

}  // namespace demo
