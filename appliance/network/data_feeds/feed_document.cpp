#include "appliance/network/data_feeds/feed_document.h"

#include <expat.h>

#include <memory>
#include <type_traits>

#include "appliance/network/data_feeds/feed_date.h"
#include "web/utf8.h"

namespace data_feeds {

namespace {

constexpr std::size_t deepest = 64;
constexpr char separator = ' ';  // between namespace and name; neither can contain it
constexpr std::string_view atom = "http://www.w3.org/2005/Atom";
constexpr std::string_view content_module = "http://purl.org/rss/1.0/modules/content/";
constexpr std::string_view dublin_core = "http://purl.org/dc/elements/1.1/";

// RSS has no namespace, or one of several; only its extensions have one that matters.
struct Name {
  std::string_view space, local;
  explicit Name(std::string_view full) : local(full) {
    if (const auto at = full.rfind(separator); at != std::string_view::npos) {
      space = full.substr(0, at);
      local = full.substr(at + 1);
    }
  }
  bool is_core() const { return space != content_module && space != dublin_core && !space.ends_with("itunes-1.0.dtd"); }
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string cut(std::string_view text) { return std::string(web::utf8_prefix(trimmed(text), most_text_bytes)); }

bool is_page(std::string_view link) { return link.starts_with("https://") || link.starts_with("http://"); }

class Reader {
 public:
  Reader() : parser_(XML_ParserCreateNS(nullptr, separator)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
  }

  web::Result<FeedDocument> read(std::string_view bytes) {
    const auto status = XML_Parse(parser_.get(), bytes.data(), static_cast<int>(bytes.size()), XML_TRUE);
    if (!refused_.empty()) return bad(refused_);
    if (status != XML_STATUS_OK)
      return bad(std::string("The source is not well-formed XML: ") + XML_ErrorString(XML_GetErrorCode(parser_.get())));
    if (!is_feed_) return bad("The source is neither RSS nor Atom");
    return std::move(document_);
  }

 private:
  static web::Error bad(std::string message) { return {.kind = web::Kind::bad_gateway, .message = std::move(message)}; }

  static void on_start(void* self, const char* name, const char** attributes) {
    static_cast<Reader*>(self)->start(Name(name), attributes);
  }
  static void on_end(void* self, const char* name) { static_cast<Reader*>(self)->end(Name(name)); }
  static void on_text(void* self, const char* text, int size) {
    auto& reader = *static_cast<Reader*>(self);
    // Four times what is kept: white space at the start does not count.
    if (reader.text_.size() < 4 * most_text_bytes) reader.text_.append(text, static_cast<std::size_t>(size));
  }
  static void on_entity(void* self, const char*, int, const char*, int, const char*, const char*, const char*,
                        const char*) {
    static_cast<Reader*>(self)->refuse("The source declares entities");
  }

  void refuse(std::string why) {
    if (refused_.empty()) refused_ = std::move(why);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void start(const Name& name, const char** attributes) {
    if (++depth_ > deepest) return refuse("The source nests too deeply");
    if (depth_ == 1)
      is_feed_ = name.local == "rss" || name.local == "RDF" || (name.local == "feed" && name.space == atom);
    text_.clear();
    if (name.is_core() && (name.local == "item" || name.local == "entry")) {
      item_ = Item();
      item_depth_ = depth_;
    }
    if (name.space == atom && name.local == "link") atom_link(attributes);
  }

  // The page of an Atom feed or entry, which is an attribute.
  void atom_link(const char** attributes) {
    std::string_view href, rel = "alternate";
    for (; *attributes; attributes += 2) {
      if (std::string_view(attributes[0]) == "href") href = attributes[1];
      if (std::string_view(attributes[0]) == "rel") rel = attributes[1];
    }
    if (rel == "alternate") set_link(item_ ? item_->link : document_.link, href);
  }

  static void set_link(std::string& link, std::string_view given) {
    given = trimmed(given);
    if (link.empty() && is_page(given) && given.size() <= most_text_bytes) link = given;
  }

  void end(const Name& name) {
    if (item_ && depth_ == item_depth_ + 1) {
      item_field(name);
    } else if (item_ && depth_ == item_depth_) {
      if (document_.items.size() < most_items) document_.items.push_back(std::move(*item_));
      item_.reset();
    } else if (!item_ && depth_ <= 3 && name.is_core()) {
      document_field(name);
    }
    text_.clear();
    --depth_;
  }

  // The children of a channel; images and text fields in it have titles of their own, one level deeper.
  void document_field(const Name& name) {
    if (depth_ != (name.space == atom ? 2U : 3U)) return;
    if (name.local == "title" && document_.title.empty()) document_.title = cut(text_);
    if (name.local == "link" && name.space != atom) set_link(document_.link, text_);
    if ((name.local == "description" || name.local == "subtitle") && document_.description.empty())
      document_.description = cut(text_);
  }

  void item_field(const Name& name) {
    const auto local = name.local;
    if (name.space == dublin_core) {
      if (local == "date") publish();
    } else if (name.is_core()) {
      if (local == "title") item_->title = cut(text_);
      if (local == "guid" || local == "id") item_->id = cut(text_);
      if (local == "link" && name.space != atom) set_link(item_->link, text_);
      if (local == "description" || local == "summary" || (local == "content" && item_->summary.empty()))
        item_->summary = cut(text_);
      if (local == "pubDate" || local == "published" || (local == "updated" && !item_->published)) publish();
    } else if (local == "encoded" && item_->summary.empty()) {
      item_->summary = cut(text_);
    }
  }

  void publish() {
    if (const auto time = parse_feed_date(trimmed(text_))) item_->published = time;
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  FeedDocument document_;
  std::optional<Item> item_;  // the open one
  std::size_t depth_ = 0, item_depth_ = 0;
  bool is_feed_ = false;
  std::string text_;     // of the innermost element since its last tag
  std::string refused_;  // why; empty: it is not
};

}  // namespace

web::Result<FeedDocument> read_feed_document(std::string_view bytes) { return Reader().read(bytes); }

}  // namespace data_feeds
