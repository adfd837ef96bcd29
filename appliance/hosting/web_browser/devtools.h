// Chromium's DevTools protocol over two pipes (--remote-debugging-pipe): JSON objects, each ended by a zero byte.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "appliance/foundation/descriptor.h"
#include "web/result.h"
#include "web/task.h"

namespace browser {

// Of one message. A page that makes the browser send more has its browser ended.
inline constexpr std::size_t max_message_bytes = 48u << 20;

// Used on `home` only.
class DevTools : public std::enable_shared_from_this<DevTools> {
 public:
  // `session`: of the page that it is about; empty: the browser itself.
  using OnEvent =
      std::function<void(const std::string& method, const std::string& session, boost::json::object params)>;
  // `input`, `output`: the browser's, non-blocking. Long messages are parsed on `blocking`, which must outlive it.
  DevTools(boost::asio::io_context& home, files::Descriptor input, files::Descriptor output,
           boost::asio::thread_pool& blocking, OnEvent);
  ~DevTools();

  // Reads until the browser has ended or close() is called, then fails all calls.
  web::Task<> run();
  // The result of a command. bad_gateway with the browser's own sentence; timeout; unavailable once it has ended.
  web::Task<web::Result<boost::json::object>> call(std::string session, std::string method, boost::json::object params,
                                                   std::chrono::milliseconds time = std::chrono::seconds(15));
  // The same without waiting for an answer.
  void send(const std::string& session, const std::string& method, boost::json::object params);
  void close();
  // Why it was closed from this side; empty: it was not.
  const std::string& problem() const { return problem_; }

 private:
  struct Call;
  struct Pipes;

  std::int64_t write(const std::string& session, const std::string& method, boost::json::object params);
  web::Task<> write_all();
  void take(boost::json::object message);

  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  const OnEvent on_event_;
  const std::unique_ptr<Pipes> pipes_;
  std::map<std::int64_t, std::shared_ptr<Call>> calls_;
  std::int64_t last_id_ = 0;
  std::string unwritten_, problem_;
  bool is_writing_ = false, is_closed_ = false;
};

}  // namespace browser
