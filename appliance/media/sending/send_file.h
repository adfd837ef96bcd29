// Media files of the box as responses: with validators and ranges, piece by piece.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>

#include "web/protocol/http.h"
#include "web/result.h"
#include "web/task.h"

namespace sending {

struct MediaFile {
  std::filesystem::path folder;
  std::string name;  // under the folder; through no link
  std::string content_type, cache_control;
};

// not_found if there is no such file. `pool` must outlive the response.
web::Task<web::Result<web::Response>> send_file(boost::asio::thread_pool& pool, MediaFile, const web::Request&);

}  // namespace sending
