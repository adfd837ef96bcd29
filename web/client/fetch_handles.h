// A pool of libcurl easy handles, with the options that all exchanges share.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace web {

// Throws std::logic_error if libcurl rejects the option.
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
    EasyHandles* to;  // null: not pooled
    // Until an exchange has succeeded at its first try: libcurl counts tries and keeps data that it has to send again.
    bool needs_reset = true;
    void operator()(CURL*) const noexcept;
  };
  using Handle = std::unique_ptr<CURL, Return>;

  EasyHandles() = default;
  EasyHandles(const EasyHandles&) = delete;
  EasyHandles& operator=(const EasyHandles&) = delete;

  // Takes a handle that returns here when it is destroyed; it must not outlive the pool. Options of a single exchange
  // may still have the values of an earlier one.
  Handle take();
  // Makes a handle outside the pool, for exchanges whose effects libcurl does not undo: a handle whose host was not
  // found keeps its buffer, and one that has streamed keeps the small buffer of streams.
  static Handle make();

 private:
  using Idle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
  std::vector<Idle> idle_;
};

}  // namespace web
