/* The page of `boscage viewer`, compiled in by cmake/bosc_embed.cmake. */
#ifndef TOOL_VIEWER_VIEWER_TEXT_H
#define TOOL_VIEWER_VIEWER_TEXT_H

/* page.html, with @RUN@, @DATA@ and @SCRIPT@ for the numbers, the arrays and the script. */
extern const char viewer_page[];
extern const unsigned long viewer_page_size;

/* viewer.js */
extern const char viewer_script[];
extern const unsigned long viewer_script_size;

#endif
