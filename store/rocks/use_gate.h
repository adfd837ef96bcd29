// Lets many threads use a thing at little cost, and one thread replace it while nobody does.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace store {

class UseGate {
 public:
  // Held while the thing is used. May be held several times by one thread.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : inside_(std::exchange(other.inside_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (inside_) inside_->fetch_sub(1);
    }

   private:
    friend class UseGate;
    explicit Pass(std::atomic<long>& inside) : inside_(&inside) {}
    std::atomic<long>* inside_;
  };

  // Waits while the gate is closed.
  Pass enter() const {
    auto& inside = slots_[slot()].inside;
    for (;;) {
      inside.fetch_add(1);
      if (!closed_.load()) return Pass(inside);
      inside.fetch_sub(1);
      closed_.wait(true);
    }
  }

  // Closes the gate and returns true if nobody is inside. By one thread at a time.
  bool close_if_unused() {
    closed_ = true;
    long users = 0;
    for (const auto& slot : slots_) users += slot.inside.load();
    if (users == 0) return true;
    open();
    return false;
  }
  void open() {
    closed_ = false;
    closed_.notify_all();
  }

 private:
  struct alignas(64) Slot {
    std::atomic<long> inside{0};
  };
  static constexpr std::size_t slots = 16;
  static std::size_t slot() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t own = next++ % slots;
    return own;
  }

  mutable std::array<Slot, slots> slots_;
  std::atomic<bool> closed_{false};
};

}  // namespace store
