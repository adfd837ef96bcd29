// POST /api/agent-documents, where agents have documents of their workspace read.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/media/documents/documents.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace documents {

// Must outlive the rows.
struct Services {
  Documents& documents;
  std::function<std::optional<std::filesystem::path>(std::string_view agent)> workspace_of;
};

struct DocumentRequest {
  web::Prose<1, 1'024> path;
};
BOOST_DESCRIBE_STRUCT(DocumentRequest, (), (path))

struct DocumentAnswer {
  std::string kind;  // pdf, docx, xlsx, pptx, html, csv
  std::string text;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(DocumentAnswer, (), (kind, text, truncated))

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace documents
