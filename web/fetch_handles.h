// libcurl's easy handles, kept from one exchange to the next with the options that all exchanges share.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace web {

// Throws std::logic_error for what libcurl does not take.
template <class Value>
void set_option(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLE_OK) throw std::logic_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

// For one thread.
class EasyHandles {
 public:
  struct Return {
    EasyHandles* to;  // null: it is not kept
    // Until an exchange has gone well at its first try: libcurl counts tries, and keeps what is to be sent again.
    bool needs_reset = true;
    void operator()(CURL*) const noexcept;
  };
  using Handle = std::unique_ptr<CURL, Return>;

  EasyHandles() = default;
  EasyHandles(const EasyHandles&) = delete;
  EasyHandles& operator=(const EasyHandles&) = delete;

  // One that comes back here by itself: it must not outlive this. Options that exchanges have of their own may still be
  // those of an earlier one.
  Handle take();
  // One of its own for each exchange, for what libcurl does not undo: a handle whose host was not found keeps its
  // buffer, and one that has streamed the small buffer of streams.
  static Handle make();

 private:
  using Idle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
  std::vector<Idle> idle_;
};

}  // namespace web
