#include "appliance/media/documents/converter.h"

#include <cstdio>
#include <fstream>
#include <iterator>

#include "appliance/media/documents/office_file.h"
#include "summarizer/answers.h"
#include "summarizer/charset.h"
#include "summarizer/page.h"
#include "web/ascii.h"

namespace documents {

namespace {

struct Ending {
  std::string_view text, kind;
};
constexpr Ending endings[] = {{".pdf", "pdf"},   {".docx", "docx"},  {".docm", "docx"}, {".xlsx", "xlsx"},
                              {".xlsm", "xlsx"}, {".pptx", "pptx"},  {".pptm", "pptx"}, {".html", "html"},
                              {".htm", "html"},  {".xhtml", "html"}, {".csv", "csv"},   {".tsv", "csv"}};

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Unreadable("The file cannot be opened.");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void read_html(const std::string& bytes, TextSink& sink) {
  const summarizer::Page page{.url = {}, .content_type = {}, .bytes = bytes};
  const auto article = summarizer::article_of(page, summarizer::Style::markdown);
  if (!article) throw Unreadable(article.error().message);
  if (!article->title.empty()) sink.add("# " + article->title + "\n\n");
  sink.add(article->content);
}

void read(const std::string& kind, TextSink& sink) {
  const std::string path(document_file);
  if (kind == "html") return read_html(read_whole(path), sink);
  if (kind == "csv") {
    const auto bytes = read_whole(path);
    return sink.add(summarizer::to_utf8(bytes, summarizer::find_charset(bytes, {})));
  }
  OfficeFile file(path);
  if (kind == "docx") return read_word(file, sink);
  if (kind == "xlsx") return read_workbook(file, sink);
  if (kind == "pptx") return read_slides(file, sink);
  throw Unreadable("Documents of this kind cannot be read.");
}

}  // namespace

std::optional<std::string_view> kind_of(std::string_view path) {
  const auto name = web::lower_case(path);
  for (const auto& ending : endings)
    if (name.ends_with(ending.text)) return ending.kind;
  return std::nullopt;
}

int convert(const std::string& kind) {
  TextSink sink(max_text_bytes);
  try {
    try {
      read(kind, sink);
    } catch (const Full&) {
    }
    std::ofstream file(std::string(text_file), std::ios::binary | std::ios::trunc);
    file << sink.text();
    if (!file.flush()) throw Unreadable("The text cannot be written.");
  } catch (const std::bad_alloc&) {
    std::fputs("The file needs too much memory.\n", stderr);
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace documents
