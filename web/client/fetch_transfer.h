// One HTTP exchange with one server: one libcurl easy handle, its callbacks and its result. Follows no redirect and
// does not wait; FetchLoop drives it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "web/client/fetch.h"
#include "web/client/fetch_handles.h"
#include "web/client/fetch_url.h"
#include "web/client/outbound.h"
#include "web/protocol/body_decoder.h"

namespace web {

class Transfer {
 public:
  // `request` and `url` must outlive the transfer. `time_left` 0: no deadline. Its bytes are counted in the passage.
  Transfer(EasyHandles::Handle, const FetchRequest& request, const FetchUrl& url, std::chrono::milliseconds time_left,
           Outbound::Passage);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_.get(); }
  // Records the sockets opened for this transfer in `opened`, which must outlive it.
  void note_sockets_in(std::unordered_set<curl_socket_t>& opened) { opened_ = &opened; }
  bool finished() const { return finished_; }
  void finish(CURLcode code);

  // Once finished. Rethrows an exception of the request's callbacks.
  Result<FetchResponse> take_result();
  // Once finished and before take_result: whether the request follows redirects and this response is one, and to where.
  bool is_redirect() const;
  std::string redirect_url() const;

 private:
  static int on_request(void* self, char* remote, char* local, int remote_port, int local_port);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self);

  void count_bytes();
  void set_method_and_body();
  bool would_repeat();
  void set_headers();
  bool gives(std::string_view header) const;
  bool header_line(std::string_view line);
  bool head_complete();
  bool begin_body();
  bool body_bytes(std::string_view bytes);
  bool reject(Error);
  bool reject_as_too_large();
  std::string content_encoding() const;
  Error failure() const;

  const FetchRequest& request_;
  const FetchUrl& url_;
  const std::string peer_;  // for messages: host:port or the socket's path
  const std::chrono::milliseconds time_left_, connect_time_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> header_list_;  // outlives its use by the handle
  EasyHandles::Handle easy_;

  Outbound::Passage passage_;
  std::unordered_set<curl_socket_t>* opened_ = nullptr;
  FetchResponse response_;
  std::size_t head_bytes_ = 0;
  bool head_complete_ = false;
  std::optional<BodyDecoder> decoder_;  // from the first byte of a body on

  // The result.
  int tries_ = 0;  // to send the request
  bool finished_ = false;
  CURLcode code_ = CURLE_OK;
  bool refused_ = false;           // an address was not public
  bool broken_ = false;            // without a response, and the request must not be sent again
  std::optional<Error> rejected_;  // why the response is unacceptable
  bool stopped_ = false;           // by the caller's callback
  std::exception_ptr thrown_;      // by the caller's callback
};

}  // namespace web
