#pragma once

#include "appliance/box/agent_transfer/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace agent_transfer {

struct ExportRequest {
  web::Text<1, 4'096> file;
};
BOOST_DESCRIBE_STRUCT(ExportRequest, (), (file))

struct ExportAnswer {
  std::string file;
  std::int64_t bytes = 0;
  std::vector<std::string> secrets, leftOut;
};
BOOST_DESCRIBE_STRUCT(ExportAnswer, (), (file, bytes, secrets, leftOut))

struct ImportRequest {
  web::Text<1, 4'096> file;
  std::optional<web::Text<1, 320>> owner;
};
BOOST_DESCRIBE_STRUCT(ImportRequest, (), (file, owner))

struct ImportAnswer {
  std::string id, name;
  std::int64_t messages = 0, schedules = 0;
  std::vector<std::string> secrets;
};
BOOST_DESCRIBE_STRUCT(ImportAnswer, (), (id, name, messages, schedules, secrets))

web::Answer export_agent(const Services&, const web::Request&, ExportRequest);
web::Answer import_agent(const Services&, const web::Request&, ImportRequest);

}  // namespace agent_transfer
