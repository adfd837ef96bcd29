#include "web/server/descriptor_reserve.h"

#include <fcntl.h>
#include <unistd.h>

namespace web {

DescriptorReserve::~DescriptorReserve() {
  while (release()) {
  }
}

bool DescriptorReserve::release() {
  if (held_.empty()) return false;
  ::close(held_.back());
  held_.pop_back();
  return true;
}

void DescriptorReserve::refill() {
  while (held_.size() < most_) {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    held_.push_back(descriptor);
  }
}

}  // namespace web
