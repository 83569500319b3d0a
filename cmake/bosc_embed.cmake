# bosc_embed(target symbol file ...): compiles texts into a target, as `const char symbol[]` and `const unsigned long
# symbol_size`, and makes them again when a file changes.
function(bosc_embed target)
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}.c)
  set(text "/* Made by cmake/bosc_embed.cmake. */\n")
  list(LENGTH ARGN count)
  math(EXPR last "${count} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR next "${i} + 1")
    list(GET ARGN ${i} symbol)
    list(GET ARGN ${next} file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "extern const char ${symbol}[];\nextern const unsigned long ${symbol}_size;\n"
      "const char ${symbol}[] = {\n${bytes}0};\nconst unsigned long ${symbol}_size = sizeof ${symbol} - 1;\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY) # unchanged if the text is
  target_sources(${target} PRIVATE ${output})
endfunction()
