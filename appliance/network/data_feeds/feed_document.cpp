#include "appliance/network/data_feeds/feed_document.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "appliance/network/data_feeds/feed_date.h"
#include "summarizer/character_references.h"
#include "summarizer/charset.h"
#include "summarizer/scanner.h"
#include "summarizer/text.h"
#include "summarizer/url.h"
#include "web/ascii.h"
#include "web/utf8.h"

namespace data_feeds {

namespace {

using summarizer::RawAttribute;
using summarizer::Token;
using summarizer::trimmed;

constexpr std::size_t deepest = 64, max_attributes = 64, max_attribute_bytes = 8'192;
constexpr std::string_view atom = "http://www.w3.org/2005/Atom";
constexpr std::string_view content_module = "http://purl.org/rss/1.0/modules/content/";
constexpr std::string_view dublin_core = "http://purl.org/dc/elements/1.1/";
constexpr std::string_view media = "http://search.yahoo.com/mrss/";
constexpr std::string_view xhtml = "http://www.w3.org/1999/xhtml";

web::Error bad(std::string message) { return {.kind = web::Kind::bad_gateway, .message = std::move(message)}; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'; }

std::string clean_text(std::string_view text) {
  std::string clean(text);
  std::erase_if(clean, is_control);
  return std::string(web::utf8_prefix(trimmed(clean), max_text_bytes));
}

// XML without a declaration is UTF-8, even with a few bytes that are not.
bool is_mostly_utf8(std::string_view bytes) {
  std::size_t good = 0, wrong = 0;
  while (!bytes.empty()) {
    const auto point = web::decode_utf8(bytes);
    if (point.length == 0) ++wrong;
    if (point.length > 1) ++good;
    bytes.remove_prefix(std::max<std::size_t>(point.length, 1));
  }
  return good > wrong;
}

std::string decoded(std::string_view bytes, std::string_view content_type) {
  const auto start = bytes.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && start > 0 && bytes[start] == '<') bytes.remove_prefix(start);
  auto charset = summarizer::find_charset(bytes, content_type);
  const bool is_declared = bytes.substr(0, bytes.find("?>")).find("encoding") != std::string_view::npos ||
                           content_type.find("charset") != std::string_view::npos;
  if (!is_declared && !charset.starts_with("UTF-") && is_mostly_utf8(bytes)) charset = "UTF-8";
  return summarizer::to_utf8(bytes, charset);
}

struct Name {
  std::string space, local;
  // RSS has no namespace, or one of several; only its extensions have one that matters.
  bool is_core() const {
    return space != content_module && space != dublin_core && space != media && space != xhtml &&
           !space.ends_with("itunes-1.0.dtd");
  }
  bool is_item() const { return is_core() && (local == "item" || local == "entry"); }
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view url)
      : text_of_feed_(text), scanner_(text, max_attributes, max_attribute_bytes, summarizer::Syntax::xml) {
    bases_.emplace_back(url);
  }

  web::Result<FeedDocument> read() {
    if (declares_entities()) return bad("The source declares entities");
    while (!is_over_ && refused_.empty() && scanner_.next()) {
      const Token& token = scanner_.token();
      if (token.kind == Token::Kind::text) {
        text(token);
      } else if (token.kind == Token::Kind::end_tag) {
        end(token.name);
      } else {
        start(token);
      }
    }
    if (!refused_.empty()) return bad(refused_);
    if (!has_root_) return bad("The source is not well-formed XML: no element found");
    if (!is_over_ && !item_ && document_.items.empty()) {
      return bad("The source is not well-formed XML: it ends before its first item");
    }
    while (!open_.empty()) close_top();
    return std::move(document_);
  }

 private:
  struct Open {
    std::string tag;
    Name name;
    bool has_base = false;
    bool is_item = false, is_captured = false;
  };

  // Only in the document type, which precedes the root.
  bool declares_entities() const {
    const auto declaration = text_of_feed_.find("<!ENTITY");
    if (declaration == text_of_feed_.npos) return false;
    const auto doctype = text_of_feed_.find("<!DOCTYPE");
    if (doctype > declaration) return false;
    for (std::size_t at = 0; (at = text_of_feed_.find('<', at)) < declaration; ++at) {
      if (web::is_letter(text_of_feed_[at + 1])) return false;
    }
    return true;
  }

  void declare_namespaces(const Token& token) {
    for (const auto& [name, value] : token.attributes) {
      if (name == "xmlns" && open_.empty()) spaces_[""] = value;
      if (name.starts_with("xmlns:") && spaces_.size() < max_attributes) spaces_[std::string(name.substr(6))] = value;
    }
  }
  Name name_of(const Token& token) const {
    const auto colon = token.name.find(':');
    if (colon == token.name.npos) {
      const auto own = std::ranges::find(token.attributes, std::string_view("xmlns"), &RawAttribute::name);
      if (own != token.attributes.end()) return {std::string(own->value), std::string(token.name)};
      const auto found = spaces_.find("");
      return {found == spaces_.end() ? "" : found->second, std::string(token.name)};
    }
    const auto prefix = token.name.substr(0, colon);
    const auto found = spaces_.find(std::string(prefix));
    // An undeclared prefix means what it means everywhere.
    const std::string_view usual = prefix == "media"     ? media
                                   : prefix == "dc"      ? dublin_core
                                   : prefix == "content" ? content_module
                                   : prefix == "atom"    ? atom
                                                         : prefix;
    return {found == spaces_.end() ? std::string(usual) : found->second, std::string(token.name.substr(colon + 1))};
  }
  static std::string_view value_of(const Token& token, std::string_view name) {
    const auto found = std::ranges::find(token.attributes, name, &RawAttribute::name);
    return found == token.attributes.end() ? std::string_view() : found->value;
  }

  void start(const Token& token) {
    declare_namespaces(token);
    Name name = name_of(token);
    // An item cannot be within a field of another: that field, and the item, were never closed.
    if (item_depth_ > 0 && name.is_item() && name.space == open_[item_depth_ - 1].name.space) {
      while (open_.size() >= item_depth_ && item_depth_ > 0) close_top();
    }
    if (open_.empty()) {
      has_root_ = true;
      is_atom_ = name.local == "feed" && name.space == atom;
      if (!is_atom_ && name.local != "rss" && name.local != "RDF") {
        refused_ = "The source is neither RSS nor Atom";
        return;
      }
    }
    if (capture_depth_ > 0) return capture_markup(token, std::move(name));
    if (open_.size() >= deepest) {
      refused_ = "The source nests too deeply";
      return;
    }
    const auto base = value_of(token, "xml:base");
    Open element{.tag = std::string(token.name), .name = std::move(name), .has_base = !base.empty()};
    if (element.has_base) bases_.push_back(resolved(references_.of_attribute(base)).value_or(bases_.back()));
    element.is_item = item_depth_ == 0 && element.name.is_item();
    if (element.name.space == atom && element.name.local == "link") atom_link(token);
    element.is_captured = !element.is_item && is_field(element.name);
    if (element.name.local == "guid")
      guid_is_link_ = !web::equal_ignoring_case(value_of(token, "isPermaLink"), "false");
    open_.push_back(std::move(element));
    if (open_.back().is_item) {
      item_ = Item();
      item_depth_ = open_.size();
      guid_link_.clear();
    }
    if (open_.back().is_captured) {
      capture_depth_ = open_.size();
      text_.clear();
    }
    if (token.self_closing) close_top();
  }

  // Markup in a field, which is XHTML or was not escaped: kept where HTML is expected.
  void capture_markup(const Token& token, Name name) {
    const bool is_kept = keeps_markup() && name.local != "div";
    if (is_kept) {
      std::string tag = "<" + name.local;
      for (const char* kept : {"href", "src", "alt", "title"}) {
        if (const auto value = value_of(token, kept); !value.empty()) {
          tag += std::string(" ") + kept + "=\"" + std::string(value.substr(0, value.find('"'))) + "\"";
        }
      }
      append(tag + ">");
    }
    if (token.self_closing || open_.size() >= deepest) return;
    open_.push_back({.tag = std::string(token.name), .name = std::move(name)});
  }
  bool keeps_markup() const {
    const auto& local = open_[capture_depth_ - 1].name.local;
    return local == "description" || local == "summary" || local == "content" || local == "encoded";
  }

  void append(std::string_view text) {
    // Four times what is kept: white space at the start does not count.
    if (text_.size() < 4 * max_text_bytes) text_ += text;
  }
  void text(const Token& token) {
    if (capture_depth_ == 0) return;
    if (token.is_literal) return append(token.text);
    // Addresses keep "&copy=1", as in an attribute.
    const auto& local = open_[capture_depth_ - 1].name.local;
    if (local == "link" || local == "guid") return append(references_.of_attribute(token.text));
    if (text_.size() < 4 * max_text_bytes) references_.append(text_, token.text);
  }

  void end(std::string_view tag) {
    // Nothing outside of the open item is closed by an end tag within it, except the item's own ancestors.
    const auto found = std::find_if(open_.rbegin(), open_.rend(), [tag](const Open& one) { return one.tag == tag; });
    if (found == open_.rend()) return;
    for (auto left = found - open_.rbegin() + 1; left > 0; --left) close_top();
  }

  void close_top() {
    const Open closed = std::move(open_.back());
    const auto depth = open_.size();
    open_.pop_back();
    if (depth == capture_depth_) {
      capture_depth_ = 0;
      if (item_depth_ > 0) {
        item_field(closed.name);
      } else {
        document_field(closed.name);
      }
    } else if (capture_depth_ > 0 && depth > capture_depth_ && keeps_markup() && closed.name.local != "div") {
      append("</" + closed.name.local + ">");
    }
    if (depth == item_depth_) end_item();
    if (closed.has_base) bases_.pop_back();
    is_over_ = open_.empty();
  }

  void end_item() {
    item_depth_ = 0;
    if (item_->link.empty()) item_->link = std::move(guid_link_);
    if (document_.items.size() < max_items) document_.items.push_back(std::move(*item_));
    item_.reset();
  }

  // A child of an item, of the media in it, or of the channel. Pictures and text fields of a channel have titles of
  // their own, one level deeper.
  bool is_field(const Name& name) const {
    const bool holds_fields = name.space == media && (name.local == "group" || name.local == "content");
    if (holds_fields || name.is_item() || open_.empty()) return false;
    const auto& parent = open_.back();
    if (item_depth_ > 0) {
      return open_.size() == item_depth_ || (parent.name.space == media && open_.size() <= item_depth_ + 2);
    }
    return is_atom_ ? open_.size() == 1 : parent.name.local == "channel";
  }

  std::optional<std::string> resolved(std::string_view reference) const {
    return summarizer::UrlResolver(bases_.back()).absolute(trimmed(reference));
  }
  void set_link(std::string& link, std::string_view given) const {
    given = trimmed(given);
    if (!link.empty() || given.empty()) return;
    // An absolute link is kept as the source writes it.
    if ((given.starts_with("https://") || given.starts_with("http://")) && given.size() <= max_text_bytes) {
      link = given;
    } else if (auto url = resolved(given); url && url->size() <= max_text_bytes) {
      link = std::move(*url);
    }
  }

  // The page of an Atom feed or entry, which is an attribute. In RSS it stands beside a link of its own.
  void atom_link(const Token& token) {
    const auto relation = value_of(token, "rel");
    if (!is_atom_ && relation != "alternate") return;
    if (!relation.empty() && relation != "alternate") return;
    set_link(item_depth_ > 0 ? item_->link : document_.link, references_.of_attribute(value_of(token, "href")));
  }

  void document_field(const Name& name) {
    if (!name.is_core()) return;
    if (name.local == "title" && document_.title.empty()) document_.title = clean_text(text_);
    if (name.local == "link" && name.space != atom) set_link(document_.link, text_);
    if ((name.local == "description" || name.local == "subtitle") && document_.description.empty())
      document_.description = clean_text(text_);
  }

  void item_field(const Name& name) {
    const auto& local = name.local;
    if (name.space == dublin_core) {
      if (local == "date") publish();
    } else if (name.space == media) {
      if (local == "title" && item_->title.empty()) item_->title = clean_text(text_);
      if (local == "description" && item_->summary.empty()) item_->summary = clean_text(text_);
    } else if (name.is_core()) {
      if (local == "title") item_->title = clean_text(text_);
      if (local == "guid" || local == "id") item_->id = clean_text(text_);
      if (local == "guid" && guid_is_link_ && trimmed(text_).starts_with("http")) set_link(guid_link_, text_);
      if (local == "link" && name.space != atom) set_link(item_->link, text_);
      if (local == "description" || local == "summary" || (local == "content" && item_->summary.empty()))
        item_->summary = clean_text(text_);
      if (local == "pubDate" || local == "published" || (local == "updated" && !item_->published)) publish();
    } else if (local == "encoded" && item_->summary.empty()) {
      item_->summary = clean_text(text_);
    }
  }

  void publish() {
    if (const auto time = parse_feed_date(trimmed(text_))) item_->published = time;
  }

  const std::string_view text_of_feed_;
  summarizer::Scanner scanner_;
  summarizer::CharacterReferences references_;
  std::map<std::string, std::string> spaces_;  // by prefix
  std::vector<std::string> bases_;             // the innermost last
  std::vector<Open> open_;
  FeedDocument document_;
  std::optional<Item> item_;                        // the open one
  std::size_t item_depth_ = 0, capture_depth_ = 0;  // of open_ with the item and the field; 0: none is open
  bool has_root_ = false, is_atom_ = false, is_over_ = false;
  bool guid_is_link_ = false;
  std::string guid_link_;
  std::string text_;     // of the field that is open
  std::string refused_;  // why; empty: it is not
};

std::string clean_member(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? clean_text(std::string_view(*text)) : std::string();
}

std::string link_at(const boost::json::object& object, std::string_view key, std::string_view url) {
  return summarizer::UrlResolver(url).absolute(clean_member(object, key)).value_or("");
}

Item json_item(const boost::json::object& given, std::string_view url) {
  Item item{.id = clean_member(given, "id"), .title = clean_member(given, "title"), .link = link_at(given, "url", url)};
  if (item.link.empty()) item.link = link_at(given, "external_url", url);
  for (const char* key : {"summary", "content_html", "content_text"}) {
    if (item.summary.empty()) item.summary = clean_member(given, key);
  }
  for (const char* key : {"date_published", "date_modified"}) {
    if (!item.published) item.published = parse_feed_date(clean_member(given, key));
  }
  return item;
}

web::Result<FeedDocument> read_json_feed(std::string_view text, std::string_view url) {
  boost::system::error_code malformed;
  const auto value = boost::json::parse(text, malformed);
  const auto* feed = malformed ? nullptr : value.if_object();
  if (!feed || !clean_member(*feed, "version").starts_with("https://jsonfeed.org/version/")) {
    return bad("The source is neither RSS, Atom nor JSON Feed");
  }
  FeedDocument document{.title = clean_member(*feed, "title"),
                        .link = link_at(*feed, "home_page_url", url),
                        .description = clean_member(*feed, "description")};
  const auto* items = feed->if_contains("items");
  if (!items || !items->is_array()) return document;
  for (const auto& item : items->get_array()) {
    if (document.items.size() == max_items) break;
    if (const auto* object = item.if_object()) document.items.push_back(json_item(*object, url));
  }
  return document;
}

}  // namespace

web::Result<FeedDocument> read_feed_document(std::string_view bytes, std::string_view url,
                                             std::string_view content_type) {
  const auto text = decoded(bytes, content_type);
  if (trimmed(text).starts_with('{')) return read_json_feed(trimmed(text), url);
  return Reader(text, url).read();
}

}  // namespace data_feeds
