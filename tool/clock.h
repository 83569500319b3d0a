/* A monotonic clock. */

#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

double job_now(void); /* seconds */

#endif
