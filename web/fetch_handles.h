// libcurl's easy handles, kept from one exchange to the next: a new one costs more than setting all its options again.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <vector>

namespace web {

// For one thread.
class EasyHandles {
 public:
  struct Return {
    EasyHandles* to;  // null: it is not kept
    void operator()(CURL*) const noexcept;
  };
  using Handle = std::unique_ptr<CURL, Return>;

  EasyHandles() = default;
  EasyHandles(const EasyHandles&) = delete;
  EasyHandles& operator=(const EasyHandles&) = delete;

  // One without options or results of an earlier exchange, which comes back here by itself: it must not outlive this.
  Handle take();
  // One of its own for each exchange, for what libcurl does not undo: a handle whose host was not found keeps its
  // buffer, and curl_easy_reset forgets that CURLOPT_BUFFERSIZE has made it small.
  static Handle make();

 private:
  using Idle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
  std::vector<Idle> idle_;
};

}  // namespace web
