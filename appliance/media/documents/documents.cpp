#include "appliance/media/documents/documents.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <system_error>

#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/media/documents/converter.h"
#include "appliance/media/programs/child.h"
#include "appliance/media/programs/programs.h"
#include "summarizer/charset.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/run_on.h"

namespace documents {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using web::Result;
using web::Task;

constexpr auto reading_time = 40s, processor_time = 30s;
constexpr std::uint64_t text_file_mb = 16;  // pdftotext does not bound its text
constexpr std::uint64_t memory_mb = 768;

// Copies the file, whatever its owner does to it meanwhile.
Result<void> copy(const fs::path& workspace, const std::string& path, const fs::path& to) {
  const auto components = agent_process::path_components(path);
  if (!components) return components.error();
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto from = root->open(*components, O_RDONLY | O_NONBLOCK);
  if (!from) return from.error();
  struct stat info {};
  if (::fstat(from->get(), &info) != 0 || !S_ISREG(info.st_mode)) return web::invalid("path is not a regular file");
  if (std::uint64_t(info.st_size) > Documents::max_document_bytes)
    return web::invalid("The file is too large: documents have at most 32 MB");
  const files::Descriptor copied(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  std::string piece(256 * 1024, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = ::read(from->get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return files::error_of(errno);
    if (got == 0) return {};
    size += std::size_t(got);
    const bool is_written = copied && size <= Documents::max_document_bytes &&
                            files::write_all(copied, std::string_view(piece).substr(0, std::size_t(got)));
    if (!is_written) return web::internal("The document cannot be copied.");
  }
}

Result<DocumentText> read_result(const std::string& kind, const fs::path& folder) {
  const files::Descriptor file(::open((folder / text_file).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return web::internal("The document's text cannot be read.");
  std::string text(max_text_bytes, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::pread(file.get(), text.data() + size, text.size() - size, off_t(size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += std::size_t(got);
  }
  text.resize(size);
  DocumentText document{.kind = kind, .text = {}, .is_truncated = std::uint64_t(info.st_size) >= max_text_bytes};
  document.text = summarizer::to_utf8(text, "UTF-8");
  std::ranges::replace(document.text, '\f', '\n');  // between the pages of a PDF
  return document;
}

// Removed with all that is in it.
struct WorkFolder {
  explicit WorkFolder(fs::path made) : path(std::move(made)) {
    if (::mkdir(path.c_str(), 0700) != 0)
      throw std::system_error(errno, std::system_category(), "make " + path.string());
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  const fs::path path;
};

struct Counted {
  explicit Counted(std::size_t& number) : count(number) { ++count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count; }
  std::size_t& count;
};

Task<std::optional<programs::End>> end_of(programs::Child& child) {
  for (;;) {
    const auto line = co_await child.next_line();
    if (!line) break;
  }
  const auto end = co_await child.wait();
  co_return end;
}

Task<std::optional<programs::End>> end_of_time() {
  co_await web::sleep_for(reading_time);
  co_return std::nullopt;
}

}  // namespace

Documents::Documents(boost::asio::io_context& home, boost::asio::thread_pool& blocking, fs::path folder)
    : home_(home), blocking_(blocking), folder_(std::move(folder)) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Task<Result<DocumentText>> Documents::convert(std::string kind, fs::path folder) {
  using namespace boost::asio::experimental::awaitable_operators;
  if (running_ >= max_at_once)
    co_return web::Error{.kind = web::Kind::too_many, .message = "Other documents are read now: try again in a minute"};
  const Counted counted(running_);
  programs::Plan plan{.command = {fs::read_symlink("/proc/self/exe").string(), "document", kind},
                      .folder = folder,
                      .user = programs::User::converter,
                      .memory_mb = memory_mb,
                      .file_mb = text_file_mb,
                      .processor_time = processor_time};
  if (kind == "pdf") {
    const auto program = programs::find("pdftotext");
    if (!program)
      co_return web::internal("PDF files need pdftotext, which is not installed on this box: install poppler-utils");
    plan.command = {program->string(),     "-q", "-layout", "-enc", "UTF-8", std::string(document_file),
                    std::string(text_file)};
  }
  programs::Child child(home_, plan);
  auto ended = end_of(child);
  auto late = end_of_time();
  const auto outcome = co_await (std::move(ended) || std::move(late));
  const auto end = outcome.index() == 0 ? std::get<0>(outcome) : std::nullopt;
  if (!end) co_return web::invalid("The document takes too long to read");
  if (end->is_success()) co_return DocumentText{.kind = kind, .text = {}, .is_truncated = false};
  const auto words = child.last_words();
  web::log::info("document_not_read", {{"kind", kind}, {"end", end->text()}, {"reason", words}});
  if (kind == "pdf") co_return web::invalid("The PDF file is damaged or needs a password");
  const bool has_said_why = end->text() == "status 1" && !words.empty();
  co_return web::invalid(has_said_why ? std::string(web::first_line(words))
                                      : "The document needs too much time or memory to read");
}

Task<Result<DocumentText>> Documents::read(fs::path workspace, std::string path) {
  const auto kind = kind_of(path);
  if (!kind) co_return web::invalid("path must end in .pdf, .docx, .xlsx, .pptx, .html or .csv");
  const auto prepare = [this] {
    std::error_code error;
    fs::create_directories(folder_, error);
    // Its user must reach its own folder.
    if (!error) fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_exec | fs::perms::group_exec, error);
    if (error) throw std::system_error(error, "make " + folder_.string());
    return std::make_unique<WorkFolder>(folder_ / crypto::random_id(16));
  };
  const auto folder = co_await web::offload(blocking_, prepare);
  const auto copy_file = [&] { return copy(workspace, path, folder->path / document_file); };
  const auto copied = co_await web::offload(blocking_, copy_file);
  if (!copied) co_return copied.error();
  auto work = convert(std::string(*kind), folder->path);
  auto converted = co_await web::run_on(home_, std::move(work));
  if (!converted) co_return converted.error();
  const auto read_text = [&] { return read_result(converted->kind, folder->path); };
  co_return co_await web::offload(blocking_, read_text);
}

}  // namespace documents
