#include "web/server/deadlines.h"

namespace web {

void Deadlines::add(Deadline& deadline) {
  armed_.push_back(deadline);
  schedule();
}

void Deadlines::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Deadlines::schedule() {
  if (scheduled_ || stopped_) return;
  scheduled_ = true;
  timer_.expires_after(period_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;  // stopped; this object may be destroyed
    scheduled_ = false;
    sweep();
    if (!armed_.empty()) schedule();
  });
}

void Deadlines::sweep() {
  auto now = Clock::now();
  for (auto& deadline : armed_) {
    if (deadline.at_ > now) continue;
    deadline.disarm();
    deadline.expire();
  }
}

}  // namespace web
