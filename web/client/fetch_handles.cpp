#include "web/client/fetch_handles.h"

#include "web/client/authorities.h"

namespace web {
namespace {

constexpr std::size_t max_idle = 64;  // some 20 KB each

// libcurl allocates one byte more for every exchange, which then just fits an allocator size class.
constexpr long receive_buffer_bytes = (8L << 10) - 1;

void set_what_all_share(CURL* easy) {
  set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set_option(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set_option(easy, CURLOPT_PROXY, "");  // also ignores the proxies of the environment
  set_option(easy, CURLOPT_NOSIGNAL, 1L);
  set_option(easy, CURLOPT_QUICK_EXIT, 1L);  // a hanging name look-up must not block the thread that cancels it
  // One exchange per connection at a time, so that cutting one exchange affects no other.
  set_option(easy, CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_1_1));
  set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set_option(easy, CURLOPT_BUFFERSIZE, receive_buffer_bytes);
  set_option(easy, CURLOPT_USERAGENT, "agentbox");  // a header of the request overrides it
  if (const char* file = extra_authorities()) set_option(easy, CURLOPT_CAINFO, file);
}

}  // namespace

EasyHandles::Handle EasyHandles::take() {
  idle_.reserve(max_idle);
  if (idle_.empty()) {
    auto made = make();
    made.get_deleter().to = this;
    return made;
  }
  Handle known(idle_.back().release(), {.to = this});
  idle_.pop_back();
  return known;
}

EasyHandles::Handle EasyHandles::make() {
  Handle made(curl_easy_init(), {.to = nullptr});
  if (!made) throw std::bad_alloc();
  set_what_all_share(made.get());
  return made;
}

void EasyHandles::Return::operator()(CURL* easy) const noexcept {
  Idle back(easy, curl_easy_cleanup);
  if (!to || to->idle_.size() == max_idle) return;
  try {
    if (needs_reset) {
      curl_easy_reset(easy);
      set_what_all_share(easy);
    }
  } catch (...) {
    return;  // no memory: the handle is freed
  }
  to->idle_.push_back(std::move(back));  // take() has reserved space
}

}  // namespace web
