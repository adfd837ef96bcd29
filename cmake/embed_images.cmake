# Writes a C++ source with the catalogue of images that the box ships.
#   cmake -D SOURCE=... -D OUTPUT=... -P embed_images.cmake
file(READ ${SOURCE} content)
file(WRITE ${OUTPUT} "#include \"appliance/hosting/image_catalogue/image_catalogue.h\"\n\nnamespace image_catalogue {\n\nstd::string_view shipped_json() { return R\"images(${content})images\"; }\n\n}  // namespace image_catalogue\n")
