// A gzipped tar archive (POSIX.1-2001, pax) that is written while it is sent.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/codec.h"
#include "web/task.h"

namespace personal_data {

// Used by one coroutine at a time. Compression runs on `blocking`. Throws what `sink` throws.
class Archive {
 public:
  using Sink = std::function<web::Task<>(std::string bytes)>;
  // `folder`: the first part of every path, so that unpacking makes one folder.
  Archive(std::string folder, Sink sink, boost::asio::thread_pool& blocking);
  ~Archive();

  web::Task<> add(std::string path, std::string content);
  // A file of this size. `read` returns at most `size` bytes at `offset`, on `blocking`; a file that has become shorter
  // is filled up with zeros.
  using Read = std::function<std::string(std::uint64_t offset, std::size_t size)>;
  web::Task<> add_file(std::string path, std::uint64_t size, store::Time modified, Read read);
  // After the last file.
  web::Task<> finish();

  boost::asio::thread_pool& blocking() const { return blocking_; }

 private:
  class Gzip;
  web::Task<> send(std::string bytes);

  const std::string folder_;
  const Sink sink_;
  boost::asio::thread_pool& blocking_;
  const std::unique_ptr<Gzip> gzip_;
};

// The header of an entry that is a file: one block of 512 bytes, or three or more for a path or size that does not fit
// into one.
std::string tar_header(std::string_view path, std::uint64_t size, std::chrono::sys_seconds modified);

}  // namespace personal_data
