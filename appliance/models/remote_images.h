// Images that a request names by their addresses, fetched for providers that take bytes only.
#pragma once

#include "appliance/models/chat.h"
#include "appliance/models/providers/provider.h"
#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

inline constexpr std::size_t max_remote_image_bytes = 8u << 20, max_remote_images_bytes = 14u << 20;

// Whether a message has an image whose address the provider does not fetch.
bool has_images_to_fetch(const ChatRequest&, const Provider&);

// The request with those images as data: addresses. They are fetched one after the other, from public addresses if
// `reach` says so, following up to three redirects; 14 MB together, 8 MB each. invalid, which names the field: an
// address has no PNG, JPEG, GIF or WebP image, does not answer within ten seconds, or is not allowed.
web::Task<web::Result<ChatRequest>> with_fetched_images(ChatRequest, const Provider&,
                                                        web::Reach reach = web::Reach::public_only);

}  // namespace models
