#include "web/fetch_handles.h"

#include <new>

namespace web {
namespace {

constexpr std::size_t most_idle = 64;  // some 20 KB each

}  // namespace

EasyHandles::Handle EasyHandles::take() {
  idle_.reserve(most_idle);
  if (idle_.empty()) {
    auto made = make();
    made.get_deleter().to = this;
    return made;
  }
  Handle known(idle_.back().release(), {this});
  idle_.pop_back();
  return known;
}

EasyHandles::Handle EasyHandles::make() {
  Handle made(curl_easy_init(), {nullptr});
  if (!made) throw std::bad_alloc();
  return made;
}

void EasyHandles::Return::operator()(CURL* easy) const noexcept {
  Idle back(easy, curl_easy_cleanup);
  if (!to || to->idle_.size() == most_idle) return;
  curl_easy_reset(easy);
  to->idle_.push_back(std::move(back));  // take() has made room
}

}  // namespace web
