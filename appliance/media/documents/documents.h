// Text of documents in agents' workspaces: PDF, DOCX, XLSX, PPTX, HTML and CSV. They come from strangers, so they are
// read by a confined child that sees nothing but a copy of the file.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <string>

#include "web/result.h"
#include "web/task.h"

namespace documents {

struct DocumentText {
  std::string kind, text;
  bool is_truncated = false;  // it has more than max_text_bytes
};

class Documents {
 public:
  static constexpr std::size_t max_document_bytes = 32u << 20, max_at_once = 4;

  // `folder` is for copies of files that are being read; what an earlier box left there is removed.
  Documents(boost::asio::io_context& home, boost::asio::thread_pool& blocking, std::filesystem::path folder);

  // The file at `path` beneath the workspace. invalid, with a sentence, for files of other kinds, damaged ones and
  // those that are too large or take too long; not_found; internal if the program for this kind is not installed;
  // too_many while others are read. Callable from every thread.
  web::Task<web::Result<DocumentText>> read(std::filesystem::path workspace, std::string path);

 private:
  web::Task<web::Result<DocumentText>> convert(std::string kind, std::filesystem::path folder);

  boost::asio::io_context& home_;
  boost::asio::thread_pool& blocking_;
  const std::filesystem::path folder_;
  std::size_t running_ = 0;  // on the thread of home_
};

}  // namespace documents
