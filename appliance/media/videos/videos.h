// Generated videos: ordered, made one after the other, kept in the data folder, or in a bucket, within each user's
// quota.
//
// In the folder `media`:
//   work/<id>/         the folder of a job, while it runs
//   videos/<id>.mp4    a finished video
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/disk_reserve.h"
#include "appliance/media/bucket/bucket.h"
#include "appliance/media/videos/job_board.h"
#include "appliance/media/videos/records.h"
#include "appliance/media/videos/renderer.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace videos {

inline constexpr std::size_t jobs_at_once = 2, jobs_waiting = 50, jobs_per_user = 5;
inline constexpr std::chrono::minutes longest_rendering{5};

struct VideoOptions {
  std::filesystem::path folder;          // media/ in the data folder
  std::int64_t quota = 0;                // bytes of one user's videos
  std::string disk_reserve = "auto";     // DISK_RESERVE
  bool allow_private = false;            // pictures may come from private addresses
  std::optional<bucket::Bucket> bucket;  // keeps finished videos instead of the folder
};

struct NewVideo {
  store::UserId owner = 0;
  std::string agent;          // empty: the user orders it
  boost::json::object order;  // see order.h
  bool is_background = false;
};

// Callable from every thread. The arguments must outlive it.
class Videos {
 public:
  Videos(store::System, boost::asio::io_context& home, boost::asio::thread_pool& blocking, VideoOptions);

  // Queues it: one at a time for each user, two for the box. invalid: the order. too_many, with `current` and `limit`:
  // the user's storage is full, or there are too many waiting. internal: ffmpeg is not installed. unavailable: the
  // box's disk reserve has been reached.
  web::Task<web::Result<Video>> order(NewVideo);
  // Until it is done or has failed, or five minutes have passed; ends it if the caller's client leaves. The errors are
  // those of rendering.
  web::Task<web::Result<Video>> wait(Video);
  std::optional<Video> find(store::UserId, std::string_view id) const;
  std::optional<Video> find(std::string_view id) const;  // of any owner
  std::vector<Video> list(store::UserId) const;          // newest first
  // Ends its making, or deletes it. not_found; bad_gateway: the bucket keeps it.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  std::filesystem::path file_of(std::string_view id) const;
  // Where a video in the bucket can be read for this time; at most seven days.
  std::string bucket_address_of(std::string_view id, store::Time now, std::chrono::seconds validity) const;

  // Of those in progress; see JobBoard.
  JobBoard& progress() { return board_; }

  // Jobs of callers that are gone have failed, those in the background begin again.
  web::Task<> start();
  // Ends what is in progress.
  web::Task<> stop();

 private:
  struct Job;
  struct Ending {
    web::Error error;
    Seconds length{0};
    bool is_done = false;
  };

  web::Task<web::Result<Video>> enqueue(Video, Order);
  void start_next();
  web::Task<> run(std::shared_ptr<Job>);
  web::Task<Ending> make(Job&);
  web::Task<> finish(Job&, Ending);
  web::Task<> cancel(std::string id);
  web::Task<> clean_up();
  web::Task<std::int64_t> keep_file(std::string id);
  web::Task<web::Result<void>> move_to_bucket(std::string id);
  web::Task<web::Result<void>> discard(Video);

  store::System system_;
  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  const VideoOptions options_;
  const agentbox::DiskReserve disk_;
  Renderer renderer_;
  JobBoard board_;

  // On the thread of home_.
  std::deque<std::shared_ptr<Job>> waiting_;
  std::map<store::UserId, std::shared_ptr<Job>> running_;
  std::map<std::string, web::Error> failures_;  // of jobs that somebody waits for
  bool is_started_ = false, is_stopping_ = false;
};

}  // namespace videos
