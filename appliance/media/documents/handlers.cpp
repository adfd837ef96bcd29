#include "appliance/media/documents/handlers.h"

namespace documents {

namespace {

web::Answer read_document(const Services& services, const web::Request& request, DocumentRequest body) {
  auto workspace = services.workspace_of(request.caller.agent);
  if (!workspace) co_return web::not_found("No such agent");
  std::string path = std::move(body.path);
  auto read = co_await services.documents.read(std::move(*workspace), std::move(path));
  if (!read) co_return read.error();
  const DocumentAnswer answer{
      .kind = std::move(read->kind), .text = std::move(read->text), .truncated = read->is_truncated};
  co_return web::reply(answer, 200);
}

constexpr auto description =
    "The text of a PDF, DOCX, XLSX, PPTX, HTML or CSV file of the agent's workspace, at most 32 MB; of the text at "
    "most "
    "2 MB. Sheets are CSV, HTML is Markdown. A confined process reads it. 500 for PDF files on a box without pdftotext "
    "(package poppler-utils); 429 while four others are read.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agent-documents", guards.agent_token, nullptr,
       web::body<DocumentRequest>(on(read_document))
           .returns<DocumentAnswer>()
           .describe(description)
           .fails({web::Kind::not_found, web::Kind::too_many}),
       "Read a document of the calling agent's workspace"},
  };
}

}  // namespace documents
