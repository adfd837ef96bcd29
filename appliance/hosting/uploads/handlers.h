// Handlers of the upload rows, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/uploads/routes.h"
#include "web/routes/endpoint.h"

namespace uploads {

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

web::Answer list_files(const Services&, const web::Request&, ListQuery);
web::Answer upload_files(const Services&, const web::Request&, UploadQuery, web::BodyStream&);
// To the agent that the path names.
web::Answer upload_to_agent(const Services&, const web::Request&, FolderQuery, web::BodyStream&);
web::Answer remove_file(const Services&, const web::Request&, RemoveRequest);

}  // namespace uploads
