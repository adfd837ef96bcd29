// The text of DOCX and PPTX files, whose paragraphs, runs and tables have the same names.
#include <algorithm>
#include <charconv>

#include "appliance/media/documents/office_file.h"

namespace documents {

namespace {

constexpr int max_heading_level = 6;

// The level of a heading's style: "Heading1", "Title"; 0 for others.
int heading_level(std::string_view style) {
  if (style == "Title") return 1;
  constexpr std::string_view prefix = "Heading";
  if (!style.starts_with(prefix)) return 0;
  int level = 0;
  std::from_chars(style.data() + prefix.size(), style.data() + style.size(), level);
  return std::clamp(level, 0, max_heading_level);
}

class BodyReader {
 public:
  explicit BodyReader(TextSink& sink) : sink_(sink) {}

  void read(std::string_view xml) {
    const XmlEvents events{.open = [this](std::string_view name, const Attributes& given) { open(name, given); },
                           .close = [this](std::string_view name) { close(name); },
                           .text = [this](std::string_view text) { add_text(text); }};
    read_xml(xml, events);
  }

 private:
  void open(std::string_view name, const Attributes& attributes) {
    // The same content again, for old programs.
    if (name == "Fallback" || skipped_ > 0) {
      ++skipped_;
    } else if (name == "t") {
      is_in_text_ = true;
    } else if (name == "pStyle") {
      level_ = heading_level(attributes.get("val"));
    } else if (name == "numPr") {
      is_item_ = true;
    } else if (name == "tab" && is_in_run_) {
      add("\t");
    } else if (name == "br" || name == "cr") {
      add(cells_ > 0 ? " " : "\n");
    } else if (name == "r") {
      is_in_run_ = true;
    } else if (name == "tc") {
      ++cells_;
    } else if (name == "tr") {
      is_first_cell_ = true;
    }
  }

  void close(std::string_view name) {
    if (skipped_ > 0) {
      --skipped_;
    } else if (name == "t") {
      is_in_text_ = false;
    } else if (name == "r") {
      is_in_run_ = false;
    } else if (name == "p") {
      end_paragraph();
    } else if (name == "tc") {
      --cells_;
      if (!is_first_cell_) sink_.add(" | ");
      is_first_cell_ = false;
      sink_.add(cell_);
      cell_.clear();
    } else if (name == "tr") {
      sink_.add("\n");
    }
  }

  void add_text(std::string_view text) {
    if (is_in_text_ && skipped_ == 0) add(text);
  }
  void add(std::string_view text) { paragraph_ += text; }

  void end_paragraph() {
    if (cells_ > 0) {
      if (!cell_.empty() && !paragraph_.empty()) cell_ += ' ';
      cell_ += paragraph_;
    } else {
      if (level_ > 0 && !paragraph_.empty()) sink_.add(std::string(std::size_t(level_), '#') + " ");
      if (is_item_ && level_ == 0) sink_.add("- ");
      sink_.add(paragraph_);
      sink_.add("\n");
    }
    paragraph_.clear();
    level_ = 0;
    is_item_ = false;
  }

  TextSink& sink_;
  std::string paragraph_, cell_;
  int level_ = 0;            // of the paragraph, as a heading
  std::size_t cells_ = 0;    // open ones: tables may be nested
  std::size_t skipped_ = 0;  // open elements within a Fallback
  bool is_in_text_ = false, is_in_run_ = false, is_item_ = false, is_first_cell_ = true;
};

// The number in "ppt/slides/slide12.xml"; 0 for other names.
int slide_number(std::string_view name) {
  constexpr std::string_view prefix = "ppt/slides/slide", suffix = ".xml";
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return 0;
  int number = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size() - suffix.size(), number);
  return number;
}

}  // namespace

void read_word(OfficeFile& file, TextSink& sink) {
  const auto body = file.read("word/document.xml");
  if (!body) throw Unreadable("The file has no text: it is not a DOCX file.");
  BodyReader(sink).read(*body);
  for (const auto* name : {"word/footnotes.xml", "word/endnotes.xml"}) {
    const auto notes = file.read(name);
    if (!notes) continue;
    sink.add("\nNotes:\n");
    BodyReader(sink).read(*notes);
  }
}

void read_slides(OfficeFile& file, TextSink& sink) {
  std::vector<int> slides;
  for (const auto& name : file.names())
    if (const auto number = slide_number(name); number > 0) slides.push_back(number);
  if (slides.empty()) throw Unreadable("The file has no slides: it is not a PPTX file.");
  std::sort(slides.begin(), slides.end());
  for (const auto number : slides) {
    const auto digits = std::to_string(number);
    const auto slide = file.read("ppt/slides/slide" + digits + ".xml");
    if (!slide) continue;
    sink.add("## Slide " + digits + "\n");
    BodyReader(sink).read(*slide);
    if (const auto notes = file.read("ppt/notesSlides/notesSlide" + digits + ".xml")) {
      sink.add("Notes:\n");
      BodyReader(sink).read(*notes);
    }
    sink.add("\n");
  }
}

}  // namespace documents
