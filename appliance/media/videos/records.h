// What is stored about a generated video.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>

#include "store/table.h"

namespace videos {

BOOST_DEFINE_ENUM_CLASS(Kind, demo, marketing, screenshot, tutorial)
// A video that is being made is stored as queued: the box that finds it so at its start begins again.
BOOST_DEFINE_ENUM_CLASS(Status, queued, running, done, failed)

struct Video {
  std::int64_t owner = 0;
  std::string id;
  std::string agent;  // that asked for it; empty: its owner did
  Kind kind = Kind::demo;
  std::string title;
  Status status = Status::queued;
  boost::json::object order;   // as it was sent, until the video is made
  bool is_background = false;  // goes on without its caller, also after a restart
  std::string error;           // failed: why
  std::int64_t bytes = 0, seconds = 0;
  bool is_in_bucket = false;  // else in the data folder
  store::Time created_at{}, finished_at{};
};
BOOST_DESCRIBE_STRUCT(Video, (),
                      (owner, id, agent, kind, title, status, order, is_background, error, bytes, seconds, is_in_bucket,
                       created_at, finished_at))

inline const store::Owned<Video> videos{
    {.family = "videos", .number = 129},
    &Video::owner,
    &Video::id,
    {store::unique<Video>(1, "video", &Video::id), store::index<Video>(2, "status", &Video::status)}};

}  // namespace videos
