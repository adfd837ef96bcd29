// nginx as a supervised child: it takes RTMP and writes HLS.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "appliance/foundation/disk_reserve.h"
#include "appliance/media/local/local.h"
#include "appliance/media/programs/child.h"
#include "appliance/media/stream_webhooks/assets.h"
#include "appliance/media/streams/streams.h"
#include "web/task.h"

namespace local {

struct ServerOptions {
  std::filesystem::path folder;  // server/ in the module's folder
  std::string listen;            // address:port
  bool records = false;
  std::uint64_t segment_bytes = 0;    // of all streams together
  std::string disk_reserve = "auto";  // DISK_RESERVE
};

// Used on the thread of `home`, except where stated. The arguments must outlive it.
class StreamServer {
 public:
  StreamServer(boost::asio::io_context& home, boost::asio::thread_pool& blocking, Local&, streams::Streams&,
               stream_webhooks::Assets&, ServerOptions);
  ~StreamServer();

  // Restarts a server that ends, after a pause that doubles from 100 ms to 5 s. Does nothing where it is not installed.
  web::Task<> start(std::string callback_base);
  web::Task<> stop();

  // The secret of the callbacks' addresses. Callable from every thread.
  const std::string& secret() const { return secret_; }
  // A broadcast begins, with this key. forbidden: the stream does not have it, or is on air;
  // unavailable: the box's disk reserve has been reached. Callable from every
  // thread.
  web::Task<web::Result<void>> begin(std::string playback_id, std::string key);
  // Whether the broadcast may go on: it is on air, and the disk reserve has not been reached. Callable from every
  // thread.
  bool may_go_on(std::string_view playback_id) const;
  // A broadcast with this key has ended. nginx says so, too, of one that has hung up before it was refused: the stream
  // of that name may be on air with another.
  web::Task<> end(std::string playback_id, std::string key);
  // A recording is complete. Callable from every thread.
  web::Task<> recorded(std::string playback_id, std::string file);

  std::filesystem::path segments() const;
  // Once a second: HLS within its bounds.
  web::Task<> tidy();

 private:
  web::Task<> supervise(std::string callback_base);
  web::Task<> run_once(std::string callback_base);
  void prepare_folder(const std::string& callback_base) const;
  web::Task<> set_live(std::string stream, bool is_live);
  web::Task<> all_off_air();
  web::Task<stream_webhooks::AssetFacts> facts_of(std::string file);

  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  Local& local_;
  streams::Streams& streams_;
  stream_webhooks::Assets& assets_;
  const ServerOptions options_;
  const agentbox::DiskReserve disk_;
  const std::string secret_;

  std::unique_ptr<programs::Child> child_;
  web::Timer pause_, ended_;
  bool is_stopping_ = false, is_supervising_ = false;
};

}  // namespace local
