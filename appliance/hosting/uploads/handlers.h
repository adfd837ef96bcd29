#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/uploads/uploads.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace uploads {

// All of them must outlive the rows.
struct Services {
  Uploads& uploads;
};

struct ListQuery {
  web::Text<1, 128> agentId;
  std::optional<web::Text<0, 4'000>> path;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (agentId, path))

struct UploadQuery {
  std::optional<web::Text<1, 128>> agentId;
  std::optional<web::Text<0, 4'000>> path;
};
BOOST_DESCRIBE_STRUCT(UploadQuery, (), (agentId, path))

struct RemoveRequest {
  web::Text<1, 128> agentId;
  web::Text<1, 4'000> path;
};
BOOST_DESCRIBE_STRUCT(RemoveRequest, (), (agentId, path))

struct FileItem {
  std::string path, type;
  std::int64_t size;
  store::Time modified;
};
BOOST_DESCRIBE_STRUCT(FileItem, (), (path, type, size, modified))

struct FileList {
  std::vector<FileItem> files;
  std::int64_t count = 0;
  bool truncated = false;
  std::int64_t usedBytes = 0, quotaBytes = 0;
};
BOOST_DESCRIBE_STRUCT(FileList, (), (files, count, truncated, usedBytes, quotaBytes))

struct UploadAnswer {
  bool success = true;
  std::vector<FileItem> files;
};
BOOST_DESCRIBE_STRUCT(UploadAnswer, (), (success, files))

struct FileRemoved {
  bool success = true;
  std::string path;
};
BOOST_DESCRIBE_STRUCT(FileRemoved, (), (success, path))

struct FolderQuery {
  std::optional<web::Text<0, 4'000>> path;
};
BOOST_DESCRIBE_STRUCT(FolderQuery, (), (path))

// /api/files, and uploads to /api/agents/:id/files.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace uploads
