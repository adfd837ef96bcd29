// Descriptors that are held back, so that health can be answered when the process has run out of them.
#pragma once

#include <cstddef>
#include <vector>

namespace web {

class DescriptorReserve {
 public:
  explicit DescriptorReserve(std::size_t most) : most_(most) { refill(); }
  ~DescriptorReserve();
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;

  // Gives one descriptor back to the process. False if none is left.
  bool release();
  // Takes descriptors until the reserve is full or the process has no more.
  void refill();

 private:
  const std::size_t most_;
  std::vector<int> held_;
};

}  // namespace web
