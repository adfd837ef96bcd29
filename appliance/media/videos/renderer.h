// Makes one video with ffmpeg and espeak-ng, confined, in a folder of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "appliance/media/programs/child.h"
#include "appliance/media/videos/order.h"
#include "appliance/media/videos/screenplay.h"
#include "web/result.h"
#include "web/task.h"

namespace videos {

// Of one job, on the thread of `home`.
class RenderControl {
 public:
  explicit RenderControl(std::function<void(unsigned percent)> on_progress) : on_progress_(std::move(on_progress)) {}

  void report(unsigned percent) { on_progress_(percent); }
  // Ends the program at work; no other starts.
  void cancel() {
    is_cancelled_ = true;
    if (running_) running_->kill();
  }
  bool is_cancelled() const { return is_cancelled_; }
  void set_running(programs::Child* child) { running_ = child; }

 private:
  const std::function<void(unsigned percent)> on_progress_;
  programs::Child* running_ = nullptr;
  bool is_cancelled_ = false;
};

// Used on the thread of `home` only. The arguments must outlive it.
class Renderer {
 public:
  Renderer(boost::asio::io_context& home, boost::asio::thread_pool& blocking, bool allow_private)
      : home_(home), blocking_(blocking), allow_private_(allow_private) {}

  // Makes `result_file` in the folder, which must be empty and the box's own. Returns its length. invalid: the picture
  // cannot be used, or there is no voice for the language. internal: ffmpeg is not installed, or failed. abandoned:
  // cancelled.
  web::Task<web::Result<Seconds>> render(Order, std::filesystem::path folder, RenderControl&);

 private:
  web::Task<web::Result<void>> run(std::string program, std::vector<std::string> arguments,
                                   std::filesystem::path folder, RenderControl&, Seconds expected);
  web::Task<web::Result<void>> prepare_picture(std::string url, std::filesystem::path folder, RenderControl&);
  web::Task<web::Result<void>> narrate(std::vector<Scene>&, std::string language, std::filesystem::path folder,
                                       RenderControl&);

  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  const bool allow_private_;
};

// internal, naming the package, if ffmpeg is not installed.
web::Result<void> check_renderer();

}  // namespace videos
