/* Shared by the parts: memory, time, errors, result rows and pictures. */
#ifndef DEMO_REPORT_H
#define DEMO_REPORT_H

#include <stddef.h>

#include "demo/demo.h"
#include "render/canvas.h"

/* Set the error and return the status. */
bosc_status demo_fail(struct demo *demo, bosc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bosc_status demo_fail_ctx(struct demo *demo, bosc_status status); /* with the context's message */

void *demo_alloc(struct demo *demo, size_t count, size_t size); /* on failure sets the error and returns NULL */
double demo_now(void);                                          /* seconds */

void demo_row(struct demo *demo, const char *what, double seconds, double items);

/* Writes the canvas to FOLDER/name. */
bosc_status demo_picture(struct demo *demo, const struct canvas *canvas, const char *name);

#endif
