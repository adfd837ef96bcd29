#include "appliance/media/documents/office_file.h"

#include <expat.h>
#include <minizip/unzip.h>

#include <array>
#include <cstring>
#include <exception>

#include "web/utf8.h"

namespace documents {

namespace {

constexpr std::size_t max_part_name_bytes = 1'024, max_levels = 256;
constexpr std::size_t xml_piece_bytes = 1u << 20;  // expat takes an int

[[noreturn]] void damaged() { throw Unreadable("The file is damaged or not an office file."); }

std::string_view local_name(std::string_view name) {
  const auto colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

struct FreeParser {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

// Exceptions must not pass expat's frames: the first one stops the parser and is thrown afterwards.
struct Parse {
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser{XML_ParserCreate(nullptr)};
  const XmlEvents& events;
  std::size_t levels = 0;
  std::exception_ptr thrown;

  template <class Work>
  void guard(Work work) {
    if (thrown) return;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
      XML_StopParser(parser.get(), XML_FALSE);
    }
  }
};

Parse& parse_of(void* data) { return *static_cast<Parse*>(data); }

void on_open(void* data, const char* name, const char** attributes) {
  auto& parse = parse_of(data);
  parse.guard([&] {
    if (++parse.levels > max_levels) damaged();
    if (parse.events.open) parse.events.open(local_name(name), Attributes(attributes));
  });
}

void on_close(void* data, const char* name) {
  auto& parse = parse_of(data);
  parse.guard([&] {
    --parse.levels;
    if (parse.events.close) parse.events.close(local_name(name));
  });
}

void on_text(void* data, const char* text, int size) {
  auto& parse = parse_of(data);
  parse.guard([&] {
    if (parse.events.text) parse.events.text({text, std::size_t(size)});
  });
}

// No office program declares entities; files that do want them to multiply.
void on_entity(void* data, const char*, int, const char*, int, const char*, const char*, const char*, const char*) {
  parse_of(data).guard([] { throw Unreadable("The file declares XML entities, which are not read."); });
}

}  // namespace

OfficeFile::OfficeFile(const std::string& path) : archive_(unzOpen64(path.c_str())) {
  unz_global_info64 all{};
  if (!archive_ || unzGetGlobalInfo64(archive_, &all) != UNZ_OK) damaged();
  if (all.number_entry > max_entries) throw Unreadable("The file has too many parts.");
  for (ZPOS64_T i = 0; i < all.number_entry; ++i) {
    if ((i == 0 ? unzGoToFirstFile(archive_) : unzGoToNextFile(archive_)) != UNZ_OK) damaged();
    std::array<char, max_part_name_bytes> name{};
    if (unzGetCurrentFileInfo64(archive_, nullptr, name.data(), name.size() - 1, nullptr, 0, nullptr, 0) != UNZ_OK)
      damaged();
    names_.emplace_back(name.data());
  }
}

OfficeFile::~OfficeFile() {
  if (archive_) unzClose(archive_);
}

std::optional<std::string> OfficeFile::read(const std::string& name) {
  if (unzLocateFile(archive_, name.c_str(), 1) != UNZ_OK) return std::nullopt;
  if (unzOpenCurrentFile(archive_) != UNZ_OK) damaged();
  std::string content;
  std::array<char, 64 * 1024> piece{};
  int size = 0;
  while ((size = unzReadCurrentFile(archive_, piece.data(), unsigned(piece.size()))) > 0) {
    if (std::size_t(size) > left_) throw Unreadable("The file is too large when it is unpacked (128 MB).");
    left_ -= std::size_t(size);
    content.append(piece.data(), std::size_t(size));
  }
  if (unzCloseCurrentFile(archive_) != UNZ_OK || size < 0) damaged();
  return content;
}

std::string_view Attributes::get(std::string_view name) const {
  for (auto pair = pairs_; pair && *pair; pair += 2)
    if (local_name(pair[0]) == name) return pair[1];
  return {};
}

void read_xml(std::string_view xml, const XmlEvents& events) {
  Parse parse{.events = events, .thrown = {}};
  auto* parser = parse.parser.get();
  if (!parser) throw std::bad_alloc();
  XML_SetUserData(parser, &parse);
  XML_SetElementHandler(parser, on_open, on_close);
  XML_SetCharacterDataHandler(parser, on_text);
  XML_SetEntityDeclHandler(parser, on_entity);
  for (bool is_last = false; !is_last;) {
    const auto piece = xml.substr(0, xml_piece_bytes);
    xml.remove_prefix(piece.size());
    is_last = xml.empty();
    const auto status = XML_Parse(parser, piece.data(), int(piece.size()), is_last ? 1 : 0);
    if (parse.thrown) std::rethrow_exception(parse.thrown);
    if (status != XML_STATUS_OK) damaged();
  }
}

void TextSink::add(std::string_view text) {
  const auto room = limit_ - text_.size();
  text_ += web::utf8_prefix(text, room);
  if (text.size() > room) throw Full();
}

}  // namespace documents
