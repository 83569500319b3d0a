/* Redirects the calls that gcc generates for OpenMP's pragmas to the pool (base/pool.h). Every source of the library is
 * compiled with this header in front. The assembler renames the references: compilers do not rename builtins. */
#include "base/pool.h"

#if BI_POOL
__asm__(".set GOMP_parallel, bi_pool_run\n"
        ".set GOMP_loop_dynamic_start, bi_pool_loop_start\n"
        ".set GOMP_loop_dynamic_next, bi_pool_loop_next\n"
        ".set GOMP_loop_nonmonotonic_dynamic_start, bi_pool_loop_start\n"
        ".set GOMP_loop_nonmonotonic_dynamic_next, bi_pool_loop_next\n"
        ".set GOMP_loop_end_nowait, bi_pool_loop_end\n"
        ".set omp_get_thread_num, bi_pool_task\n"
        ".set omp_get_num_threads, bi_pool_tasks\n");
#endif
