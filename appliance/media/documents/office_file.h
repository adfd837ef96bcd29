// Reading the parts of office files (DOCX, XLSX, PPTX): XML in a zip archive. For the confined child only: it bounds
// what it reads, and trusts the sandbox for the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace documents {

// A sentence for the user.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class OfficeFile {
 public:
  static constexpr std::size_t max_entries = 20'000, max_unpacked_bytes = 128u << 20;

  // Throws Unreadable, like the functions below.
  explicit OfficeFile(const std::string& path);
  ~OfficeFile();
  OfficeFile(const OfficeFile&) = delete;
  OfficeFile& operator=(const OfficeFile&) = delete;

  // The unpacked part; nullopt if there is none. All parts that are read have at most max_unpacked_bytes.
  std::optional<std::string> read(const std::string& name);
  // The names of all parts that begin so, as they are in the archive.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void* archive_ = nullptr;
  std::size_t left_ = max_unpacked_bytes;
  std::vector<std::string> names_;
};

// The attributes of an element, by name without prefix.
class Attributes {
 public:
  explicit Attributes(const char** pairs) : pairs_(pairs) {}
  std::string_view get(std::string_view name) const;  // empty if it is missing

 private:
  const char** pairs_;
};

// Names are without prefix.
struct XmlEvents {
  std::function<void(std::string_view name, const Attributes&)> open;
  std::function<void(std::string_view name)> close;
  std::function<void(std::string_view)> text;
};

// Throws Unreadable for XML that is not well-formed, has more than 256 levels, or declares entities; and what an event
// throws.
void read_xml(std::string_view xml, const XmlEvents&);

// Text of at most `limit` bytes. Thrown when it is full: what it has is kept.
struct Full {};
class TextSink {
 public:
  explicit TextSink(std::size_t limit) : limit_(limit) {}
  void add(std::string_view);  // throws Full
  const std::string& text() const { return text_; }

 private:
  const std::size_t limit_;
  std::string text_;
};

// Paragraphs as lines, headings with '#', rows of tables with " | ".
void read_word(OfficeFile&, TextSink&);
// The slides in order, with their notes.
void read_slides(OfficeFile&, TextSink&);
// Each sheet as CSV, at most 256 columns; dates as ISO 8601.
void read_workbook(OfficeFile&, TextSink&);

}  // namespace documents
