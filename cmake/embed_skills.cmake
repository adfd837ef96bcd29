# Writes a C++ source with the files of the box's own skills.
#   cmake -D FOLDER=... -D OUTPUT=... -P embed_skills.cmake
file(GLOB_RECURSE paths LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT paths)
set(source "#include \"appliance/network/skills/builtin_skills.h\"\n\nnamespace skills {\n\nconst std::vector<BuiltinFile>& builtin_files() {\n  static const std::vector<BuiltinFile> files{\n")
foreach(path IN LISTS paths)
  file(READ ${FOLDER}/${path} content)
  string(REGEX REPLACE "/.*" "" skill ${path})
  string(REGEX REPLACE "^[^/]*/" "" name ${path})
  string(APPEND source "      {\"${skill}\", \"${name}\", R\"skillfile(${content})skillfile\"},\n")
endforeach()
string(APPEND source "  };\n  return files;\n}\n\n}  // namespace skills\n")
file(WRITE ${OUTPUT} "${source}")
